// Installs the stand-ins for GitHub into the folder given as argument (target/standins), once for each version of this
// folder: the emulator and the OpenAPI validator by package-lock.json, and GitHub's own OpenAPI file by its hash.
// Nothing is left outside that folder. Exits with 1 and a reason where it cannot.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cut } from './openapi.mjs';

const OPENAPI = { package: '@octokit/openapi@23.0.2', file: 'package/generated/api.github.com.json',
  sha256: '829b4bebb19a53133289f7b0bc819f4f1118115821db2ca9f25e9ee995a7da2a' };

const here = import.meta.dirname;
const root = process.argv[2];
const sources = ['package.json', 'package-lock.json', 'install.mjs', 'openapi.mjs'];
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
const version = hash(sources.map((name) => readFileSync(join(here, name))).join('\n'));
const stamp = join(root, 'ready');

function run(command, args, cwd) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`${command} ${args[0]} failed: ${(error.stderr || error.message).trim().slice(0, 500)}`);
  }
}

function install() {
  if (Number(process.versions.node.split('.')[0]) < 20) throw new Error(`Node 20 or newer is needed; this is ${process.version}`);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const cache = join(root, 'cache');
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(here, name), join(root, name));
  run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false', '--loglevel=error', '--cache', cache], root);

  const archive = run('npm', ['pack', OPENAPI.package, '--silent', '--cache', cache], root).trim().split('\n').pop();
  run('tar', ['-xzf', archive, OPENAPI.file], root);
  const text = readFileSync(join(root, OPENAPI.file));
  if (hash(text) !== OPENAPI.sha256) throw new Error(`${OPENAPI.package} does not hold the file that was pinned`);
  writeFileSync(join(root, 'openapi.json'), JSON.stringify(cut(JSON.parse(text))));
  for (const name of [archive, 'package', 'cache']) rmSync(join(root, name), { recursive: true, force: true });
  writeFileSync(stamp, version);
}

if (!root) {
  console.error('usage: node install.mjs FOLDER');
  process.exit(64);
}
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== version) {
  try {
    install();
  } catch (error) {
    console.error(`the stand-ins for GitHub cannot be installed: ${error.message}`);
    process.exit(1);
  }
}
