import { keysOf } from '@countersign/contract/core/objects'
import { Countersign } from '@countersign/sdk'
import { DeviceKey, signedCall } from '@countersign/sdk/wallet'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Receiver } from '../../server/test/worlds/simulators/webhook-receiver.testing.ts'
import { timeLimit } from '../../test/machine-speed.ts'
import { isInstalled, Program, type Question, TOOLCHAINS } from './languages.testing.ts'

const baseUrl = inject('baseUrl')
/** The first build of a language compiles its libraries too. */
const MAKES_WITHIN_MS = 15 * 60_000

const names = keysOf(TOOLCHAINS)

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
      skip(!isInstalled(name), `${TOOLCHAINS[name].needs} is not installed here`)
      const program = await Program.make(name, await (await fetch(`${baseUrl}/openapi.json`)).text())
      onTestFinished(() => program.remove())
      const response = await fetch(inject('platformMaker'), { method: 'POST' })
      const { tokenId, clientSecret }: { tokenId: string; clientSecret: string } = JSON.parse(
        await response.text(),
      )
      const known = await fetch(new URL('/.well-known/countersign.json', baseUrl))
      const { enclaveQuorumPublic }: { enclaveQuorumPublic: string } = JSON.parse(await known.text())
      const outside = new Outside(new Countersign({ baseUrl, tokenId, clientSecret }), enclaveQuorumPublic)
      const env = { BASE_URL: baseUrl, TOKEN_ID: tokenId, CLIENT_SECRET: clientSecret }
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
