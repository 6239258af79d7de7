import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Files, gzip, tarOf } from './archive.ts';

/** Makes the files of a release that commands of this checkout write. */

const run = (command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(command, [...args], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: command === 'npm' && process.platform === 'win32',
  });

/** The files that a command writes into a temporary folder. */
const filesWritten = (write: (directory: string) => void): Files => {
  const directory = mkdtempSync(join(tmpdir(), 'store-release-'));
  try {
    write(directory);
    const names = globSync('**', { cwd: directory, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(
      names.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(directory.length + 1).replaceAll('\\', '/'), readFileSync(path)];
      }),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
};

export const clientOf = (root: string): Files =>
  filesWritten((directory) => run(process.execPath, [join(root, 'apps/client/pack.ts')], directory));

/**
 * Makes the cloud assembly with the firewall, as `npm run synth` does. A merchant who wants other settings makes
 * another assembly from the source.
 */
export const assemblyOf = (root: string, version: string, time: number): Files => {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  // The command `cdk` would add these two settings, but also the machine's own.
  const ofCommand = { 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true };
  const files = filesWritten((directory) =>
    // Without the limit, the metadata would have traces with paths of this machine.
    run(process.execPath, ['--stack-trace-limit=0', 'infra/app.ts'], root, {
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...ofCommand, firewall: 'true' }),
    }),
  );
  const folder = `cloud-assembly-${version}`;
  const all = { ...files, LICENSE: readFileSync(join(root, 'LICENSE')) };
  return { [`${folder}.tar.gz`]: gzip(tarOf(folder, all, time)) };
};

/** The list of all packages in the lock file. */
export const sbomOf = (root: string): Files => {
  const options =
    '--package-lock-only --sbom-format cyclonedx --sbom-type application --include=dev --include=optional';
  const { serialNumber: _, metadata, ...sbom } = JSON.parse(run('npm', ['sbom', ...options.split(' ')], root));
  // These describe the machine and not the release: the time, the version of npm, and the name, which npm takes from
  // the folder.
  const { timestamp: __, tools: ___, component, ...others } = metadata;
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const whole = { ...sbom, metadata: { ...others, component: { ...component, name } } };
  return { 'sbom.cdx.json': Buffer.from(`${JSON.stringify(whole, null, 2)}\n`) };
};
