import { timingSafeEqual } from 'node:crypto'
import { parseJson, toJson } from '../json/json.ts'
import { cardScenario, purchaseScenario } from '../magic-values/card-outcomes.ts'
import { suffixOf } from '../magic-values/magic-values.ts'
import { plusSeconds } from '../op/app.ts'
import {
  type CardProcessor,
  madeUpPlatformCardId,
  type ProcessorEvent,
  type Provision,
  type ProvisionedCard,
  type ProvisionRequest,
} from '../ports/card-processor.ts'
import type { Enclave } from '../ports/enclave.ts'

/** The header that the sandbox's processor signs with: HMAC-SHA256 over the body, in hex. */
export const SANDBOX_PROCESSOR_SIGNATURE = 'sandbox-processor-signature'

/** The path of the page that shows a card; below it stands the card's processor reference. */
export const CARD_PAGE_PATH = '/sandbox/cards/'

const VALID_YEARS = 4

/** The processor of the sandbox: its cards follow from what they are called (specification 2.10), and are nobody's. */
export function createSandboxCardProcessor(enclave: Pick<Enclave, 'mac'>): CardProcessor {
  return {
    provision: async (request) => provision(enclave, request),
    updateState: async () => {},
    readEvent(headers, body) {
      const given = Buffer.from(headers[SANDBOX_PROCESSOR_SIGNATURE] ?? '', 'hex')
      const expected = Buffer.from(enclave.mac('card', body))
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      try {
        return parseJson(Buffer.from(body).toString())
      } catch {
        // Signed, and not an event.
        return null
      }
    },
    // By the descriptor of the merchant.
    pullPlan({ merchant }, now) {
      const { pullAfterSeconds = 0, pullFails = false } =
        purchaseScenario(suffixOf(merchant.descriptor)) ?? {}
      return { at: plusSeconds(now, pullAfterSeconds), fails: pullFails }
    },
  }
}

/** An event as this processor sends it. */
export function signedEvent(enclave: Pick<Enclave, 'mac'>, event: ProcessorEvent) {
  const body = Buffer.from(toJson(event))
  return {
    body,
    headers: { [SANDBOX_PROCESSOR_SIGNATURE]: Buffer.from(enclave.mac('card', body)).toString('hex') },
  }
}

function provision(enclave: Pick<Enclave, 'mac'>, request: ProvisionRequest): Provision {
  // One that was made up for want of another ends in anything.
  const isMadeUp = request.platformCardId === madeUpPlatformCardId(request.cardId)
  const { outcome, afterSeconds = 0 } = cardScenario(isMadeUp ? '' : suffixOf(request.platformCardId))
  if (outcome === 'CLOSED') return { outcome: 'rejected' }
  if (outcome === 'PROCESSING') return { outcome: 'pending', askAgainAt: undefined }
  const readyAt = plusSeconds(request.requestedAt, afterSeconds)
  if (readyAt > request.now) return { outcome: 'pending', askAgainAt: readyAt }
  return { outcome: 'active', ...cardOf(enclave, request) }
}

/** The same card for the same id. */
function cardOf(enclave: Pick<Enclave, 'mac'>, { cardId, requestedAt }: ProvisionRequest): ProvisionedCard {
  const digest = Buffer.from(enclave.mac('card', `card ${cardId}`))
  const reference = digest.toString('base64url').slice(0, 32)
  return {
    brand: 'VISA',
    last4: String(digest.readUInt32BE() % 10_000).padStart(4, '0'),
    expMonth: requestedAt.getUTCMonth() + 1,
    expYear: requestedAt.getUTCFullYear() + VALID_YEARS,
    panEmbedUrl: CARD_PAGE_PATH + reference,
    processorRef: reference,
    issuerRef: `sandbox-issuer-${digest.toString('hex').slice(-16)}`,
  }
}
