declare module 'lucide/dist/esm/icons/*.mjs' {
  const icon: import('./parts/icon.tsx').IconData;
  export default icon;
}
