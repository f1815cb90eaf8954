import { execFile, execFileSync, spawn } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keysOf } from '@countersign/contract/core/objects'
import { Countersign } from '@countersign/sdk'
import { DeviceKey, signedCall } from '@countersign/sdk/wallet'
import { afterAll, describe, expect, inject, type TestContext, test } from 'vitest'
import { Receiver } from '../../server/test/worlds/simulators/webhook-receiver.testing.ts'
import { timeLimit } from '../../test/machine-speed.ts'
import { getToolsFolder } from './generate.testing.ts'

const LANGUAGES = fileURLToPath(new URL('./languages', import.meta.url))
/** The signing packages, one folder per language, and their test vectors. */
const CLIENTS = fileURLToPath(new URL('../../clients', import.meta.url))
const VECTORS = join(CLIENTS, 'vectors.json')
/**
 * Java's optimizing compiler does not pay off in programs that run for seconds: without it, they take half
 * the time.
 */
const JAVA_TOOL_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

interface Command {
  readonly program: string
  readonly args: readonly string[]
}

interface Language {
  /** Fails if the toolchain is not installed. */
  readonly probe: Command
  readonly needs: string
  /** Generates the client from `openapi.json`, then compiles it if the language is compiled. */
  readonly make: (folder: string) => readonly Command[]
  readonly run: (folder: string) => Command
  /** Tests the language's signing package, in a folder in which `make` has run. */
  readonly testSigning?: (folder: string) => Command
}

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

const OPENAPI_GENERATOR = '7.25.0'
const GENERATOR_JAR = `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`

/** Copies OpenAPI Generator from Maven's repository into `generator`. */
const COPY_GENERATOR: Command = {
  program: 'mvn',
  args: [
    ...['--batch-mode', '--quiet', 'dependency:copy', '-DoutputDirectory=generator'],
    `-Dartifact=org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`,
  ],
}

/**
 * The toolchains, each with its ecosystem's generator. The folder with the same name contains the program
 * that uses the client.
 */
const TOOLCHAINS = {
  go: {
    probe: { program: 'go', args: ['version'] },
    needs: 'Go',
    make: () => [
      { program: 'go', args: ['run', OAPI_CODEGEN, '-config', 'oapi-codegen.yaml', 'openapi.json'] },
      { program: 'go', args: ['mod', 'tidy'] },
      { program: 'go', args: ['build', '-o', 'backend', '.'] },
    ],
    run: (folder) => ({ program: join(folder, 'backend'), args: [] }),
    testSigning: () => ({ program: 'go', args: ['test', 'example.com/countersign/signing'] }),
  },
  java: {
    probe: { program: 'sh', args: ['-c', 'javac -version && mvn -version'] },
    needs: 'A JDK with Maven',
    make: () => [
      COPY_GENERATOR,
      {
        program: 'java',
        args: ['-jar', join('generator', GENERATOR_JAR), 'generate', '-c', 'openapi-generator.yaml'],
      },
      { program: 'mvn', args: ['--batch-mode', '--quiet', 'compile', 'dependency:copy-dependencies'] },
    ],
    run: () => ({ program: 'java', args: ['-cp', 'target/classes:target/dependency/*', 'Backend'] }),
  },
  python: {
    probe: { program: 'python3', args: ['-c', 'import ensurepip, venv'] },
    needs: 'Python 3 with venv',
    make: (folder) => [
      { program: 'python3', args: ['-m', 'venv', 'venv'] },
      {
        program: join(folder, 'venv/bin/python'),
        args: ['-m', 'pip', 'install', '--quiet', '-r', 'requirements.txt'],
      },
      {
        program: join(folder, 'venv/bin/openapi-python-client'),
        args: ['generate', '--path', 'openapi.json', '--output-path', 'countersign', '--meta', 'none'],
      },
      { program: join(folder, 'venv/bin/python'), args: ['-m', 'compileall', '-q', 'countersign'] },
    ],
    run: (folder) => ({ program: join(folder, 'venv/bin/python'), args: ['main.py'] }),
    testSigning: (folder) => ({
      program: join(folder, 'venv/bin/python'),
      args: ['signing/tests/test_vectors.py'],
    }),
  },
} as const satisfies Record<string, Language>

type LanguageName = keyof typeof TOOLCHAINS

/** True if the language's tools are installed on this machine. */
function isInstalled(name: LanguageName): boolean {
  const { program, args } = TOOLCHAINS[name].probe
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A program's request to the customer's device or to its webhook endpoint. */
type Question =
  | { readonly ask: 'seal'; readonly bundle: string; readonly accountId: string }
  | { readonly ask: 'approveSignIn'; readonly payload: string; readonly accountId: string }
  | {
      readonly ask: 'approve'
      readonly payload: string
      readonly accountId: string
      readonly quoteId: string
    }
  | { readonly ask: 'webhook' }

type Line = Question | { readonly outcome: Readonly<Record<string, unknown>> }

/** A program in another language that uses a generated client, in a separate folder. */
class Program {
  readonly #folder: string
  readonly #language: Language

  private constructor(folder: string, language: Language) {
    this.#folder = folder
    this.#language = language
  }

  /**
   * Generates the client and compiles it with the program that uses it. Rejects with the output of whichever
   * fails.
   */
  static async make(name: LanguageName, document: string): Promise<Program> {
    const folder = await mkdtemp(join(getToolsFolder(), `${name}-`))
    const program = new Program(folder, TOOLCHAINS[name])
    await cp(join(LANGUAGES, name), folder, { recursive: true })
    if (program.#language.testSigning)
      await cp(join(CLIENTS, name), join(folder, 'signing'), { recursive: true })
    await writeFile(join(folder, 'openapi.json'), document)
    for (const command of program.#language.make(folder)) await program.#execute(command)
    return program
  }

  /** Runs the program, answers its questions, and resolves to its result. */
  async run(
    env: Readonly<Record<string, string>>,
    answer: (question: Question) => Promise<unknown>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { program, args } = this.#language.run(this.#folder)
    const child = spawn(program, args, { cwd: this.#folder, env: { ...process.env, ...env } })
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    let outcome: Readonly<Record<string, unknown>> | undefined
    for await (const text of createInterface({ input: child.stdout })) {
      const line: Line = JSON.parse(text)
      if ('outcome' in line) outcome = line.outcome
      else child.stdin.write(`${JSON.stringify(await answer(line))}\n`)
    }
    if (!outcome) throw new Error(`The program ended without an outcome.\n${errors}`)
    return outcome
  }

  /** Rejects with the output of the tests if one fails. */
  async testSigning(): Promise<void> {
    const command = this.#language.testSigning?.(this.#folder)
    if (command) await this.#execute(command)
  }

  /** Returns the output of OpenAPI Generator's validator, which is installed with the Java toolchain. */
  async validate(): Promise<string> {
    const jar = join('generator', GENERATOR_JAR)
    return this.#execute({
      program: 'java',
      args: ['-jar', jar, 'validate', '-i', 'openapi.json', '--recommend'],
    })
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #execute({ program, args }: Command): Promise<string> {
    try {
      const options = {
        cwd: this.#folder,
        maxBuffer: 2 ** 26,
        env: { ...process.env, VECTORS, JAVA_TOOL_OPTIONS },
      }
      const { stdout } = await promisify(execFile)(program, [...args], options)
      return stdout
    } catch (error) {
      // The cause contains the program's output.
      throw new Error(`${program} ${args.join(' ')} failed.`, { cause: error })
    }
  }
}

const baseUrl = inject('baseUrl')
/** The first build of a language also compiles its libraries. */
const MAKES_WITHIN_MS = 15 * 60_000

const names = keysOf(TOOLCHAINS)
const withSigning = names.filter((name) => 'testSigning' in TOOLCHAINS[name])

const programs = new Map<LanguageName, Promise<Program>>()
afterAll(async () => {
  for (const program of programs.values())
    await program.then((built) => built.remove()).catch(() => undefined)
})

/** Builds a language's program on first use. Skips the test if the toolchain is missing. */
async function buildProgram(name: LanguageName, skip: TestContext['skip']): Promise<Program> {
  skip(!isInstalled(name), `${TOOLCHAINS[name].needs} is not installed here`)
  const program = programs.get(name) ?? Program.make(name, await readDocument())
  programs.set(name, program)
  return program
}

async function readDocument(): Promise<string> {
  return (await fetch(`${baseUrl}/openapi.json`)).text()
}

/** The customer's device and the platform's webhook endpoint. */
class Outside {
  readonly #quorumPublicKey: string
  readonly #countersign: Countersign
  #device: DeviceKey | undefined

  constructor(countersign: Countersign, quorumPublicKey: string) {
    this.#countersign = countersign
    this.#quorumPublicKey = quorumPublicKey
  }

  async answer(question: Question): Promise<unknown> {
    if (question.ask === 'webhook') return this.#receiveWebhook()
    const { accountId } = question
    const quorumPublicKey = this.#quorumPublicKey
    this.#device ??= await DeviceKey.generate()
    if (question.ask === 'seal')
      return this.#device.sealCode('000000', question.bundle, { quorumPublicKey, accountId })
    if (question.ask === 'approveSignIn')
      return this.#device.approveSignIn(question.payload, { accountId, quorumPublicKey, type: 'EMAIL_OTP' })
    const call = signedCall('quote_execute', { params: { quoteId: question.quoteId } })
    return this.#device.approve(question.payload, { ...call, account: accountId }, () => true)
  }

  /** A delivery as received, with the secret that signs it. */
  async #receiveWebhook() {
    const receiver = await Receiver.open()
    const { secret } = await this.#countersign.webhookSecrets.create({ formerValidSeconds: 0 })
    await this.#countersign.config.update({ webhookEndpoint: receiver.url })
    await receiver.until((all) => all.length > 0)
    const [delivery] = receiver.received
    return { body: delivery?.text, headers: delivery?.headers, secret }
  }
}

describe('a client in another language, generated from the OpenAPI document', () => {
  test.for(names)(
    '%s compiles unpatched, signs in, pays, pages, reads an error and verifies a webhook',
    { timeout: timeLimit(MAKES_WITHIN_MS) },
    async (name, { skip }) => {
      const program = await buildProgram(name, skip)
      const response = await fetch(inject('platformMaker'), { method: 'POST' })
      const { tokenId, clientSecret }: { tokenId: string; clientSecret: string } = JSON.parse(
        await response.text(),
      )
      const known = await fetch(new URL('/.well-known/countersign.json', baseUrl))
      const { enclaveQuorumPublic }: { enclaveQuorumPublic: string } = JSON.parse(await known.text())
      const outside = new Outside(new Countersign({ baseUrl, tokenId, clientSecret }), enclaveQuorumPublic)
      const env = {
        BASE_URL: baseUrl,
        TOKEN_ID: tokenId,
        CLIENT_SECRET: clientSecret,
        QUORUM_PUBLIC_KEY: enclaveQuorumPublic,
      }
      expect(await program.run(env, (question) => outside.answer(question))).toEqual({
        session: 'EMAIL_OTP',
        execution: 'PROCESSING',
        payment: 'COMPLETED',
        transfer: 'COMPLETED',
        pages: 5,
        error: 'USER_NOT_FOUND',
        webhook: 'VERIFIED',
      })
    },
  )
})

test.for(withSigning)(
  'the signing package in %s agrees with the server about the shared vectors',
  { timeout: timeLimit(MAKES_WITHIN_MS) },
  async (name, { skip }) => {
    await (await buildProgram(name, skip)).testSigning()
  },
)

test('the OpenAPI document passes the validator of OpenAPI Generator without a warning', {
  timeout: timeLimit(MAKES_WITHIN_MS),
}, async ({ skip }) => {
  const output = await (await buildProgram('java', skip)).validate()
  const unused = [...output.matchAll(/^\s*- Unused model: (\w+)$/gm)].map(([, name]) => name)
  const warnings = [...output.matchAll(/^\s*- (.*)$/gm)]
  expect(warnings.length, output).toBe(unused.length)
  // The validator ignores `webhooks` and reports schemas that only they use as unused.
  const { webhooks, components }: Document = JSON.parse(await readDocument())
  const ofWebhooks = addReferences(webhooks, components.schemas, new Set())
  expect(unused.filter((name = '') => !ofWebhooks.has(name))).toEqual([])
})

interface Document {
  readonly webhooks: object
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** Adds the names of all schemas to which a node refers, directly or indirectly. */
function addReferences(node: object, schemas: Document['components']['schemas'], names: Set<string>) {
  for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name)) continue
    names.add(name)
    addReferences(schemas[name] ?? {}, schemas, names)
  }
  return names
}
