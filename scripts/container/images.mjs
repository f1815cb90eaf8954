import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT, say } from '../run.mjs'
import { npmInstall } from '../tools.mjs'
import { output } from './programs.mjs'

/** The Debian packages in the image with that name. */
const BASE_PACKAGES = ['base-files', 'netbase', 'tzdata', 'libc6', 'libgcc-s1', 'libstdc++6']

/** The default of a Dockerfile argument, without the digest. */
const readImageName = (/** @type {string} */ argument) =>
  new RegExp(`^ARG ${argument}=([^@\\s]+)`, 'm').exec(
    readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'),
  )?.[1] ?? ''

/**
 * Builds the images on which the Dockerfile is based, with the same names, from Debian and npm packages, so
 * that no image registry is needed.
 * @param {string} folder an empty one
 */
export async function makeBaseImages(folder) {
  say('Making the base images from Debian …')
  await makeBaseImage(join(folder, 'base'))
  await makeNodeImage(join(folder, 'node'))
}

/**
 * Unpacks the packages without configuring them, as in the image that this one replaces.
 * @param {string} folder
 */
async function makeBaseImage(folder) {
  await debian(folder, ['--variant=extract', `--include=${BASE_PACKAGES.join(',')}`])
  const lines = ['FROM scratch', 'ADD debian.tar /']
  await build(folder, readImageName('BASE_IMAGE'), lines)
}

/** @param {string} folder */
async function makeNodeImage(folder) {
  await debian(folder, ['--variant=minbase', '--include=ca-certificates'])
  const line = readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()
  const node = `node-${process.platform}-${process.arch}`
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  await npmInstall(folder, [`${node}@${line}`, 'npm@11'])
  await build(folder, readImageName('NODE_IMAGE'), [
    'FROM scratch',
    'ADD debian.tar /',
    `COPY node_modules/${node}/bin/node /usr/local/bin/node`,
    'COPY node_modules/npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
  ])
}

/**
 * Builds images with the names, users and health checks of the other services in deploy/compose.yaml:
 * Debian's PostgreSQL, and a mail catcher. Needs the base images.
 * @param {string} folder
 */
export async function makeServiceImages(folder) {
  say('Making the images of the other services …')
  const { services } = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), { merge: true })
  const database = join(folder, 'database')
  // The uid of the user postgres in the image that this one replaces.
  const user = `--customize-hook=chroot "$1" sh -c 'usermod -u 999 postgres && groupmod -g 999 postgres && install -d -o 999 -g 999 /var/lib/postgresql/data'`
  await debian(database, ['--variant=minbase', '--include=postgresql', user])
  copyFileSync(join(ROOT, 'scripts/container/postgres.sh'), join(database, 'postgres.sh'))
  await build(database, services.database.image, [
    'FROM scratch',
    'ADD debian.tar /',
    'RUN ln -s /usr/lib/postgresql/*/bin/pg_isready /usr/local/bin/',
    'COPY postgres.sh /',
    'CMD ["sh", "/postgres.sh"]',
  ])
  const mail = join(folder, 'mail')
  const { build: bundle } = await import('esbuild')
  await bundle({
    entryPoints: [join(ROOT, 'scripts/container/mail.mjs')],
    outfile: join(mail, 'mailpit'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    banner: { js: '#!/usr/local/bin/node' },
    logLevel: 'warning',
  })
  chmodSync(join(mail, 'mailpit'), 0o755)
  await build(mail, services.mail.image, [
    `FROM ${readImageName('BASE_IMAGE')}`,
    'COPY --from=countersign /usr/local/bin/node /usr/local/bin/',
    'COPY mailpit /',
    'CMD ["/mailpit"]',
  ])
}

/**
 * @param {string} folder a new one
 * @param {readonly string[]} args
 */
async function debian(folder, args) {
  mkdirSync(folder)
  const paths = ['man', 'locale', 'doc', 'info'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
  // The folder is temporary, so it need not be synced to disk.
  const noSync = '--dpkgopt=force-unsafe-io'
  const retries = '--aptopt=Acquire::Retries "5"'
  await output('mmdebstrap', [
    '--quiet',
    ...args,
    ...paths,
    noSync,
    retries,
    'bookworm',
    join(folder, 'debian.tar'),
  ])
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {readonly string[]} lines of the Dockerfile
 */
async function build(folder, name, lines) {
  writeFileSync(join(folder, 'Dockerfile'), `${lines.join('\n')}\n`)
  await buildah(['-f', join(folder, 'Dockerfile'), '-t', name, folder])
}

/**
 * Builds the server's image as the guide does. This machine's npm registry settings are used, but do not stay
 * in the image.
 * @param {string} folder for npm's settings
 * @param {string} tag
 */
export async function buildServerImage(folder, tag) {
  say('Building the image …')
  const settings = join(folder, 'npmrc')
  const userSettings = join(homedir(), '.npmrc')
  if (existsSync(userSettings)) copyFileSync(userSettings, settings)
  const registry = `registry=${await output('npm', ['config', 'get', 'registry'])}`
  const authorities = process.env.NODE_EXTRA_CA_CERTS
  const trust = authorities === undefined ? [] : ['cafile=/etc/npm-authorities.crt']
  writeFileSync(settings, `\n${[registry, ...trust].join('\n')}\n`, { flag: 'a', mode: 0o600 })
  await buildah([
    `--volume=${settings}:/root/.npmrc:ro`,
    `--volume=${await output('npm', ['config', 'get', 'cache'])}:/root/.npm`,
    ...(authorities === undefined ? [] : [`--volume=${authorities}:/etc/npm-authorities.crt:ro`]),
    `--build-arg=NODE_IMAGE=${readImageName('NODE_IMAGE')}`,
    `--build-arg=BASE_IMAGE=${readImageName('BASE_IMAGE')}`,
    '--ignorefile=deploy/Dockerfile.dockerignore',
    ...['-f', 'deploy/Dockerfile', '-t', tag, '.'],
  ])
}

/** @param {readonly string[]} args */
async function buildah(args) {
  await output('buildah', [
    'build',
    '--isolation=chroot',
    '--format=docker',
    '--network=host',
    '--pull=never',
    ...args,
  ])
}
