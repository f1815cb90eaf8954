import { keysOf } from '@countersign/contract/core/objects'
import { Countersign } from '@countersign/sdk'
import { DeviceKey, signedCall } from '@countersign/sdk/wallet'
import { afterAll, describe, expect, inject, type TestContext, test } from 'vitest'
import { Receiver } from '../../server/test/worlds/simulators/webhook-receiver.testing.ts'
import { timeLimit } from '../../test/machine-speed.ts'
import { isInstalled, type LanguageName, Program, type Question, TOOLCHAINS } from './languages.testing.ts'

const baseUrl = inject('baseUrl')
/** The first build of a language compiles its libraries too. */
const MAKES_WITHIN_MS = 15 * 60_000

const names = keysOf(TOOLCHAINS)
const withSigning = names.filter((name) => 'testSigning' in TOOLCHAINS[name])

const programs = new Map<LanguageName, Promise<Program>>()
afterAll(async () => {
  for (const program of programs.values()) await program.then((one) => one.remove()).catch(() => undefined)
})

/** The program of a language, made at the first use. Skips the test if the toolchain is missing. */
async function programOf(name: LanguageName, skip: TestContext['skip']): Promise<Program> {
  skip(!isInstalled(name), `${TOOLCHAINS[name].needs} is not installed here`)
  const program = programs.get(name) ?? Program.make(name, await readDocument())
  programs.set(name, program)
  return program
}

async function readDocument(): Promise<string> {
  return (await fetch(`${baseUrl}/openapi.json`)).text()
}

/** The customer's device and the endpoint of the platform's webhooks. */
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

  /** A delivery as it arrives, with the secret that signs it. */
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
      const program = await programOf(name, skip)
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
    await (await programOf(name, skip)).testSigning()
  },
)

test('the validator of OpenAPI Generator has no warning about the document', {
  timeout: timeLimit(MAKES_WITHIN_MS),
}, async ({ skip }) => {
  const output = await (await programOf('java', skip)).validate()
  const unused = [...output.matchAll(/^\s*- Unused model: (\w+)$/gm)].map(([, name]) => name)
  const warnings = [...output.matchAll(/^\s*- (.*)$/gm)]
  expect(warnings.length, output).toBe(unused.length)
  // It does not read `webhooks`, and takes what only they use for unused.
  const { webhooks, components }: Document = JSON.parse(await readDocument())
  const ofWebhooks = addReferences(webhooks, components.schemas, new Set())
  expect(unused.filter((name = '') => !ofWebhooks.has(name))).toEqual([])
})

interface Document {
  readonly webhooks: object
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** Adds the names of all schemas that a node refers to, directly or through others. */
function addReferences(node: object, schemas: Document['components']['schemas'], names: Set<string>) {
  for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name)) continue
    names.add(name)
    addReferences(schemas[name] ?? {}, schemas, names)
  }
  return names
}
