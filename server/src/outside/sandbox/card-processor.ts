import { timingSafeEqual } from 'node:crypto'
import { parseJson, toJson } from '../../base/json/json.ts'
import { findCardScenario, findPurchaseScenario } from '../../kernel/magic-values/card-outcomes.ts'
import { takeSuffix } from '../../kernel/magic-values/magic-values.ts'
import { addSeconds } from '../../kernel/operation/app.ts'
import {
  type CardProcessor,
  derivePlatformCardId,
  type ProcessorEvent,
  type Provision,
  type ProvisionedCard,
  type ProvisionRequest,
} from '../../kernel/ports/card-processor.ts'
import { type Enclave, FIRST_KEY } from '../../kernel/ports/enclave.ts'

/** The header with the sandbox processor's signature: HMAC-SHA256 over the body, in hex. */
export const SANDBOX_PROCESSOR_SIGNATURE = 'sandbox-processor-signature'

/** The path of the page that shows a card. It is followed by the card's processor reference. */
export const CARD_PAGE_PATH = '/sandbox/cards/'

const VALID_YEARS = 4

/**
 * The sandbox's card processor. A card's outcome is determined by its `platformCardId` (specification 2.10).
 */
export function createSandboxCardProcessor(enclave: Pick<Enclave, 'mac'>): CardProcessor {
  return {
    provision: async (request) => provisionCard(enclave, request),
    updateState: async () => {},
    readEvent(headers, body) {
      const received = Buffer.from(headers[SANDBOX_PROCESSOR_SIGNATURE] ?? '', 'hex')
      const expected = Buffer.from(enclave.mac('card', body, FIRST_KEY))
      if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined
      try {
        return parseJson(Buffer.from(body).toString())
      } catch {
        // The body has a valid signature but is not an event.
        return null
      }
    },
    // The merchant's descriptor determines the outcome.
    pullPlan({ merchant }, now) {
      const { pullAfterSeconds = 0, pullFails = false } =
        findPurchaseScenario(takeSuffix(merchant.descriptor)) ?? {}
      return { at: addSeconds(now, pullAfterSeconds), fails: pullFails }
    },
  }
}

/** Serializes and signs an event as this processor sends it. */
export function signEvent(enclave: Pick<Enclave, 'mac'>, event: ProcessorEvent) {
  const body = Buffer.from(toJson(event))
  return {
    body,
    headers: {
      [SANDBOX_PROCESSOR_SIGNATURE]: Buffer.from(enclave.mac('card', body, FIRST_KEY)).toString('hex'),
    },
  }
}

function provisionCard(enclave: Pick<Enclave, 'mac'>, request: ProvisionRequest): Provision {
  // A generated id can end in any characters, so it must not determine an outcome.
  const isGenerated = request.platformCardId === derivePlatformCardId(request.cardId)
  const { outcome, afterSeconds = 0 } = findCardScenario(
    isGenerated ? '' : takeSuffix(request.platformCardId),
  )
  if (outcome === 'CLOSED') return { outcome: 'rejected' }
  if (outcome === 'PROCESSING') return { outcome: 'pending', pollAt: undefined }
  const readyAt = addSeconds(request.requestedAt, afterSeconds)
  if (readyAt > request.now) return { outcome: 'pending', pollAt: readyAt }
  return { outcome: 'active', ...deriveCard(enclave, request) }
}

/** Derives a card from its id. The same id always gives the same card. */
function deriveCard(
  enclave: Pick<Enclave, 'mac'>,
  { cardId, requestedAt }: ProvisionRequest,
): ProvisionedCard {
  const digest = Buffer.from(enclave.mac('card', `card ${cardId}`, FIRST_KEY))
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
