import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DockerfileParser, type Instruction } from 'dockerfile-ast'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { listSettingWarnings } from '../server/src/base/settings/known-settings.ts'
import { ensureServerBuilt } from '../server/test/worlds/server-process.testing.ts'
import { hasProgram, readText } from './deploy-files.ts'

const run = promisify(execFile)
const NOBODY = 65534
const STOP_SECONDS_LEAST = 30
const DOCKERFILE = DockerfileParser.parse(readText('deploy/Dockerfile'))

/** The settings in the guide's table. */
const SETTINGS = [...readText('docs/operations.md').matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(([, names]) =>
  [...names!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
)

/** Lists the names that are not settings of the server. */
function listUnknownSettings(names: readonly string[]): string[] {
  const environment = Object.fromEntries(names.map((name) => [name, 'x']))
  return [...names.filter((name) => !SETTINGS.includes(name)), ...listSettingWarnings(environment)]
}

/** Lists the instructions of the final stage with this keyword. */
function listFinalStage(keyword: string): Instruction[] {
  const start = DOCKERFILE.getFROMs().at(-1)!.getRange().start.line
  return DOCKERFILE.getInstructions().filter(
    (instruction) => instruction.getKeyword() === keyword && instruction.getRange().start.line > start,
  )
}

/** Returns the arguments of an instruction such as `CMD ["node", "main.js"]`. */
function splitWords(instruction: Instruction | undefined): string[] {
  return JSON.parse(/\[.*\]$/s.exec(instruction?.getRawArgumentsContent() ?? '')?.[0] ?? '[]')
}

function readImageEnvironment(): Record<string, string> {
  const pairs = listFinalStage('ENV').flatMap((instruction) =>
    instruction.getArguments().map((argument) => argument.getValue()),
  )
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2)))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Recreates the final stage: its files in a read-only folder, and a data directory that a different user owns. */
async function createImage(): Promise<{ app: string; data: string; asUser: readonly string[] }> {
  const isRoot = process.getuid?.() === 0
  const folder = await mkdtemp(join(tmpdir(), 'countersign-image-'))
  const app = join(folder, 'app')
  const data = join(folder, 'data')
  onTestFinished(async () => {
    if (existsSync(app)) await run('chmod', ['-R', 'u+w', app])
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await chmod(folder, 0o755)
  const { collectServer } = await import(new URL('../deploy/collect.mjs', import.meta.url).href)
  collectServer(app)
  await run('chmod', ['-R', 'a-w,a+rX', app])
  await mkdir(data)
  if (isRoot) await chown(data, NOBODY, NOBODY)
  const asUser = isRoot
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs', '--']
    : []
  return { app, data, asUser }
}

beforeAll(ensureServerBuilt)

describe('the image', () => {
  test('contains only the Node version of .nvmrc and the C library of its Debian, and does not run as root', () => {
    const images = new Map(
      DOCKERFILE.getInitialARGs()
        .map((arg) => arg.getProperty()!)
        .map((property) => [property.getName(), property.getValue()]),
    )
    const names = DOCKERFILE.getFROMs().map((from) => from.getImage()?.replace(/\W/g, ''))
    expect(names).toEqual(['NODE_IMAGE', 'BASE_IMAGE'])
    expect(images.get('NODE_IMAGE')).toMatch(
      new RegExp(`^node:${readText('.nvmrc').trim()}-bookworm-slim(?:@sha256:|$)`),
    )
    expect(images.get('BASE_IMAGE')).toMatch(/^gcr\.io\/distroless\/cc-debian12(?:@sha256:|$)/)
    expect(listFinalStage('USER').map((instruction) => instruction.getRawArgumentsContent())).toEqual([
      '1000:1000',
    ])
  })

  test('sets only known settings, and copies only the output of collect.mjs and an empty data directory', () => {
    const { NODE_ENV: _node, ...settings } = readImageEnvironment()
    expect(listUnknownSettings(Object.keys(settings))).toEqual([])
    expect(readText('deploy/Dockerfile')).toContain('npm ci --ignore-scripts')
    expect(readText('deploy/Dockerfile')).toMatch(/node deploy\/collect\.mjs \/app \\\n\s*&& mkdir \/data\n/)
    const copied = listFinalStage('COPY').map((instruction) =>
      instruction.getArguments().map((argument) => argument.getValue()),
    )
    expect(readText('deploy/Dockerfile').match(/^COPY --from=build /gm)).toHaveLength(copied.length)
    expect(copied).toEqual([
      ['/usr/local/bin/node', '/usr/local/bin/countersign', '/usr/local/bin/'],
      ['/app', './'],
      ['/data', settings.COUNTERSIGN_DATA_DIR],
    ])
    expect(listFinalStage('ADD')).toEqual([])
  })

  test('serves all pages from read-only files, reports that it is healthy, and exits with 0 on SIGTERM', async () => {
    const { app, data, asUser } = await createImage()
    const [port, healthPort] = [await freePort(), await freePort()]
    const env = {
      PATH: process.env.PATH,
      ...readImageEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
      COUNTERSIGN_DATA_DIR: data,
    }
    const [program, ...words] = [...asUser, ...splitWords(listFinalStage('CMD')[0])]
    const server = spawn(program!, words, { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void server.kill('SIGKILL'))
    const closed = once(server, 'close')
    const output: string[] = []
    server.stderr.on('data', (chunk) => output.push(String(chunk)))
    await new Promise<void>((resolve, reject) => {
      server.stdout.on('data', (chunk) => {
        output.push(String(chunk))
        if (output.join('').includes('Countersign is ready')) resolve()
      })
      server.once('close', () => reject(new Error(output.join(''))))
    })
    const pages = [
      '/readyz',
      '/docs',
      '/docs/api/quote_create',
      '/docs/guides/deploy',
      '/console/',
      '/metrics',
    ]
    for (const page of pages) {
      const { status } = await fetch(`http://127.0.0.1:${port}${page}`)
      expect([page, status]).toEqual([page, 200])
    }
    for (const page of ['/healthz', '/readyz', '/metrics'])
      expect((await fetch(`http://127.0.0.1:${healthPort}${page}`)).status).toBe(200)
    const [node, ...check] = splitWords(listFinalStage('HEALTHCHECK')[0])
    await run(node!, check, { env })
    const command = join(app, /import\("\/app\/([^"]+)"\)/.exec(readText('deploy/Dockerfile'))?.[1] ?? 'none')
    const [operator, ...operatorWords] = [...asUser, command, 'platform', 'list', '--json']
    const listed = await run(operator!, operatorWords, { cwd: app, env })
    expect(JSON.parse(listed.stdout)).toBeTruthy()
    server.kill('SIGTERM')
    expect(await closed).toEqual([0, null])
    await expect(run(node!, check, { env })).rejects.toMatchObject({ code: 1 })
  })
})

describe('the compose file', () => {
  const { services, volumes, networks } = parse(readText('deploy/compose.yaml'), { merge: true })

  test.each(Object.keys(services))(
    'gives %s no privileges, a read-only root and a log of limited size',
    (name) => {
      const service = services[name]
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      expect(service.logging.options['max-size']).toBeTruthy()
      for (const network of service.networks) expect(networks).toHaveProperty(network)
      for (const volume of service.volumes ?? []) expect(volumes).toHaveProperty(volume.split(':')[0])
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
      if (name !== 'server') expect(service.healthcheck.test[0]).toBe('CMD')
    },
  )

  test('waits for healthy services, gives the server time to stop, and sets only known settings', () => {
    const { server } = services
    for (const [name, { condition }] of Object.entries<{ condition: string }>(server.depends_on)) {
      expect(services).toHaveProperty(name)
      expect(condition).toBe('service_healthy')
    }
    expect(Number.parseInt(server.stop_grace_period, 10)).toBeGreaterThan(STOP_SECONDS_LEAST)
    const example = [...readText('deploy/.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)]
    const names = example.map(([, name]) => name!).filter((name) => name !== 'POSTGRES_PASSWORD')
    expect(listUnknownSettings([...names, ...Object.keys(server.environment)])).toEqual([])
    expect(example.filter(([, name, value]) => name !== 'PUBLIC_URL' && value !== '')).toEqual([])
  })
})

describe('the systemd unit', () => {
  const unit = readText('deploy/countersign.service')
  const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))

  test('sends SIGTERM, waits longer than the server needs to stop, and sets only known settings', () => {
    expect(settings.get('KillSignal')).toBe('SIGTERM')
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(STOP_SECONDS_LEAST)
    const names = settings
      .get('Environment')!
      .split(' ')
      .map((pair) => pair.split('=')[0]!)
    expect(listUnknownSettings(names.filter((name) => name !== 'NODE_ENV'))).toEqual([])
  })

  test.skipIf(!hasProgram('systemd-analyze'))(
    'passes the syntax and security checks of systemd-analyze (skipped without it)',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'countersign-unit-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const file = join(folder, 'countersign.service')
      await writeFile(file, unit.replace('/usr/bin/node', process.execPath))
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', file])
      expect(stderr.split('\n').filter((line) => line.includes('countersign.service'))).toEqual([])
      // The threshold is in tenths: the exposure was 1.3 on a scale of 10.
      await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', file])
    },
  )
})

describe('the Kubernetes manifests', () => {
  const documents = parseAllDocuments(readText('deploy/kubernetes.yaml')).map((document) => document.toJS())
  const findByKind = (kind: string) => documents.find((manifest) => manifest.kind === kind)
  const { spec } = findByKind('Deployment')
  const pod = spec.template.spec
  const [container] = pod.containers

  test('have one namespace, and at most one object of each kind', () => {
    for (const { metadata } of documents) expect(metadata.namespace ?? metadata.name).toBe('countersign')
    expect(new Set(documents.map(({ kind }) => kind)).size).toBe(documents.length)
  })

  test.each(documents)('match the schema of Kubernetes: $kind', (manifest) => {
    const models = createRequire(import.meta.url)(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`)
    const validate = (value: object) => new models[manifest.kind](value).validate()
    validate(manifest)
    expect(() => validate({ ...manifest, metadata: 'none' })).toThrow()
  })

  test('select the pods of the deployment', () => {
    const { labels } = spec.template.metadata
    const selectors = [
      spec.selector.matchLabels,
      findByKind('Service').spec.selector,
      findByKind('PodDisruptionBudget').spec.selector.matchLabels,
      findByKind('NetworkPolicy').spec.podSelector.matchLabels,
      ...pod.topologySpreadConstraints.map(
        (constraint: { labelSelector: { matchLabels: unknown } }) => constraint.labelSelector.matchLabels,
      ),
    ]
    for (const selector of selectors) expect(labels).toMatchObject(selector)
    expect(findByKind('PodDisruptionBudget').spec.minAvailable).toBeLessThan(spec.replicas)
  })

  test('probe the health at HEALTH_PORT, and expose only PORT to callers', () => {
    const ports = new Map<string, number>(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [
        name,
        containerPort,
      ]),
    )
    const [served] = findByKind('Service').spec.ports
    expect(findByKind('Service').spec.ports).toHaveLength(1)
    expect(String(ports.get(served.targetPort))).toBe(readImageEnvironment().PORT)
    const { HEALTH_PORT } = findByKind('ConfigMap').data
    expect(HEALTH_PORT).not.toBe(readImageEnvironment().PORT)
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path, port } = container[probe].httpGet
      expect(String(ports.get(port))).toBe(HEALTH_PORT)
      expect(['/healthz', '/readyz']).toContain(path)
    }
    const admitted = findByKind('NetworkPolicy').spec.ingress.flatMap(
      (rule: { ports: { port: string }[] }) => rule.ports,
    )
    for (const { port } of admitted) expect([...ports.keys()]).toContain(port)
    expect(container.livenessProbe.httpGet.path).toBe('/healthz')
  })

  test('set only known settings, give no privileges, and leave time to stop', () => {
    const names = [
      ...Object.keys(findByKind('Secret').stringData),
      ...Object.keys(findByKind('ConfigMap').data),
    ]
    expect(listUnknownSettings(names)).toEqual([])
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(STOP_SECONDS_LEAST)
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const named = pod.volumes.map(({ name }: { name: string }) => name)
    for (const { name } of container.volumeMounts) expect(named).toContain(name)
    const mounted = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    expect(mounted).toContain(readImageEnvironment().COUNTERSIGN_DATA_DIR)
  })
})
