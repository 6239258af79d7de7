import { spawn } from 'node:child_process';

/** A copy of the environment from before the service adds its settings and secrets, which the browser must not get. */
const environment = { ...process.env };

interface BrowserSetting {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  /** True if a person sees the output and can type. */
  isTerminal: boolean;
}

/** The command that opens a page in the browser of the person at the terminal; undefined if they would not see it. */
export const browserCommand = (url: string, { platform, env, isTerminal }: BrowserSetting): string[] | undefined => {
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  // Over ssh, this machine's browser is not the one in front of the person.
  if (!isTerminal || env.CI || (env.SSH_CONNECTION && !hasDisplay)) return undefined;
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  if (platform === 'darwin') return ['open', url];
  return hasDisplay ? ['xdg-open', url] : undefined;
};

/**
 * Opens the page, if there is a browser. A browser that this starts gets the person's own umask. The link is printed
 * too, so a failure does no harm.
 */
export const openBrowser = (url: string, umask: number): void => {
  const { platform, env, stdin, stdout } = process;
  const [program, ...args] = browserCommand(url, { platform, env, isTerminal: stdin.isTTY && stdout.isTTY }) ?? [];
  if (!program) return;
  const ours = process.umask(umask);
  const child = spawn(program, args, { env: environment, detached: true, stdio: 'ignore' });
  process.umask(ours);
  child.on('error', () => {});
  child.unref();
};
