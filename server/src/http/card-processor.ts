import { createHash } from 'node:crypto'
import { CardProcessorEvent } from '@countersign/contract/card-processor'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type App, createOp, type Op } from '../app.ts'
import { authorize } from '../cards/authorize.ts'
import { findCard } from '../cards/cards.ts'
import { clearForced, type ForcedClearing } from '../cards/forced.ts'
import type {
  AuthorizationEvent,
  CardProcessor,
  ClearingEvent,
  DeclineReason,
  ProcessorEvent,
  ReturnEvent,
} from '../cards/processor.ts'
import { selectCardOfProcessor, selectCardTransactionByToken, selectPlatformOfCard } from '../cards/store.ts'
import { clear, expire, giveBack } from '../cards/transactions.ts'
import type { CardRow } from '../db/schema/card-tables.ts'
import type { Write } from '../db/writes.ts'
import { parseJson, toCanonicalJson, toJson } from '../json.ts'
import { LogWith } from '../observability/log.ts'
import { ApiError, fieldError } from '../operation.ts'
import { planFor } from '../sandbox/card-handlers.ts'
import { storeAnswer } from './idempotency.ts'
import { type Decided, decideAndCommit } from './rerun.ts'
import { selectIdempotencyKey } from './store.ts'
import { validator } from './validate.ts'

const PATH = '/card-processor/events'
const BODY_BYTES_MAX = 64 * 1024
/** Two seconds less what the answer needs on its way. */
const AUTHORIZATION_ANSWER_MS_MAX = 1_800

type AuthorizationAnswer =
  | { readonly approved: true; readonly cardTransactionId: string }
  | { readonly approved: false; readonly reason: DeclineReason | 'TIMEOUT' }

interface MovedAnswer {
  readonly cardTransactionId: string
  readonly status: string
}

const TIMED_OUT: AuthorizationAnswer = { approved: false, reason: 'TIMEOUT' }

const parseEvent = validator(CardProcessorEvent, 'body')

/**
 * `POST /card-processor/events`: the cards' processor asks before a card pays, and tells of what merchants claim and give
 * back, of what was never authorized as well. It is no part of the API: the processor is known by its signature. Without a processor it is not there. Errors:
 * 401 `INVALID_SIGNATURE`, 400 `INVALID_INPUT`, 404 `CARD_NOT_FOUND` and `CARD_TRANSACTION_NOT_FOUND`, 409 `CONFLICT` for a
 * token or event that was something else before, and for claims and returns those of their rules.
 */
export function addCardProcessor(
  server: FastifyInstance,
  app: App,
  answerMsMax = AUTHORIZATION_ANSWER_MS_MAX,
): void {
  const { cardProcessor } = app
  if (!cardProcessor) return
  const limit: Limit = { answerMsMax, late: new Set() }
  server.addHook('onClose', async () => {
    await Promise.all(limit.late)
  })
  server.post(PATH, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    const event = readEvent(cardProcessor, request)
    const answer =
      event.kind === 'authorization'
        ? await answerInTime(app, request, event, limit)
        : await answerMove(app, request, event)
    return reply
      .header('Cache-Control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(toJson(answer))
  })
}

interface Limit {
  readonly answerMsMax: number
  /** Decisions that came too late: they are waited for by nobody but who closes the server. */
  readonly late: Set<Promise<void>>
}

/** Errors: 401 `INVALID_SIGNATURE`, 400 `INVALID_INPUT`. */
function readEvent(processor: CardProcessor, { headers, body }: FastifyRequest): ProcessorEvent {
  const texts = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  )
  const event = processor.readEvent(texts, (body as Buffer | undefined) ?? Buffer.alloc(0))
  if (event === undefined) throw new ApiError('INVALID_SIGNATURE', { reason: 'Invalid signature' })
  return parseEvent(event) as ProcessorEvent
}

/** The operation of an event, and its card. Error: 404 `CARD_NOT_FOUND`. */
async function begin(
  app: App,
  { trace }: FastifyRequest,
  { processorRef }: ProcessorEvent,
): Promise<{ readonly op: Op; readonly cardId: string }> {
  const card = await selectCardOfProcessor(app.lookup, processorRef)
  if (!card) throw new ApiError('CARD_NOT_FOUND', { details: { field: 'processorRef' } })
  const platform = await selectPlatformOfCard(app.lookup, card)
  trace.platformId = platform.id
  return {
    op: createOp(app, await app.withConfig(platform), { kind: 'cardProcessor' }, new LogWith(app.log, trace)),
    cardId: card.id,
  }
}

/** The decision, or a decline where it takes too long; a hold that is committed after that is released. */
function answerInTime(
  app: App,
  request: FastifyRequest,
  event: AuthorizationEvent,
  { answerMsMax, late }: Limit,
): Promise<AuthorizationAnswer> {
  let isLate = false
  let timer: NodeJS.Timeout
  const timeout = new Promise<AuthorizationAnswer>((resolve) => {
    timer = setTimeout(() => {
      isLate = true
      late.add(ending)
      resolve(TIMED_OUT)
    }, answerMsMax)
  })
  const decision = answerAuthorization(app, request, event, () => isLate)
  const ending = decision
    .then(async ({ op, madeId }) => {
      if (isLate && madeId !== undefined) await takeBack(app, op, event)
    })
    .catch((error: unknown) => {
      if (isLate) app.log.error({ err: error, ...request.trace }, 'an authorization that was late failed')
    })
    .finally(() => late.delete(ending))
  return Promise.race([decision.then(({ answer }) => answer), timeout]).finally(() => clearTimeout(timer))
}

interface Authorized {
  readonly op: Op
  readonly answer: AuthorizationAnswer
  /** The purchase, where this very decision made it. */
  readonly madeId: string | undefined
}

async function answerAuthorization(
  app: App,
  request: FastifyRequest,
  event: AuthorizationEvent,
  isLate: () => boolean,
): Promise<Authorized> {
  const { op, cardId } = await begin(app, request, event)
  const [told, word] = [toldOf(op, event), wordOf(op, event)]
  const unmade = (answer: AuthorizationAnswer) => ({ op, answer, madeId: undefined })
  return decideAndCommit<Authorized>(
    app,
    op,
    async () => {
      const before = await findTold<AuthorizationAnswer>(op, told)
      const answer = before?.approved ? await findTold<AuthorizationAnswer>(op, word) : before
      return answer && unmade(answer)
    },
    async () => {
      const before =
        (await findTold<AuthorizationAnswer>(op, told)) ?? (await findApproved(op, cardId, event))
      // Too late to say so: who made the purchase knows what was said of it.
      if (before && isLate()) return { answer: unmade(TIMED_OUT), writes: [] }
      if (before) return { answer: unmade(before), writes: [keep(op, word, before)] }
      const { decision, row, writes } = await authorize(op, await findCard(op, cardId), event)
      if (decision.isApproved && !isLate()) {
        const answer = { approved: true, cardTransactionId: row!.id } as const
        return { answer: { op, answer, madeId: row!.id }, writes: [...writes!, keep(op, told, answer)] }
      }
      const answer = decision.isApproved ? TIMED_OUT : ({ approved: false, reason: decision.reason } as const)
      return { answer: unmade(answer), writes: [keep(op, told, answer)] }
    },
  )
}

/** Of a purchase whose answer is kept no more. Error: 409 `CONFLICT` where it is another one. */
async function findApproved(
  op: Op,
  cardId: string,
  { token, amount, currency }: AuthorizationEvent,
): Promise<AuthorizationAnswer | undefined> {
  const row = await selectCardTransactionByToken(op, token)
  if (!row) return undefined
  if (row.card_id !== cardId || row.authorized_amount !== amount || row.currency !== currency)
    throw usedBefore('token')
  return { approved: true, cardTransactionId: row.id }
}

/** Frees what was held after the processor had been told that it is not, unless a retry was told since that it is. */
async function takeBack(app: App, { platform, actor, log }: Op, event: AuthorizationEvent): Promise<void> {
  const op = createOp(app, platform, actor, log)
  const word = wordOf(op, event)
  await decideAndCommit<AuthorizationAnswer>(
    app,
    op,
    () => findTold(op, word),
    async () => {
      const row = await selectCardTransactionByToken(op, event.token)
      // What the merchant has claimed already was approved in the processor's eyes.
      if (row?.state !== 'AUTHORIZED') return { answer: TIMED_OUT, writes: [] }
      const { writes } = await expire(op, row)
      return { answer: TIMED_OUT, writes: [...writes, keep(op, word, TIMED_OUT)] }
    },
  )
}

/** A claim or a return, once for each event. */
async function answerMove(
  app: App,
  request: FastifyRequest,
  event: ClearingEvent | ReturnEvent,
): Promise<MovedAnswer> {
  const { op, cardId } = await begin(app, request, event)
  const told = toldOf(op, event)
  return decideAndCommit(
    app,
    op,
    () => findTold<MovedAnswer>(op, told),
    async () => {
      const card = await findCard(op, cardId)
      const { answer, writes } = await move(op, card, event)
      return { answer, writes: [...writes, keep(op, told, answer)] }
    },
  )
}

async function move(
  op: Op,
  card: CardRow,
  event: ClearingEvent | ReturnEvent,
): Promise<Decided<MovedAnswer>> {
  const before = await selectCardTransactionByToken(op, event.token)
  if (event.kind === 'clearing' && event.currency !== undefined)
    checkCurrency(event.currency, before?.currency ?? card.currency)
  if (!before && isForced(event)) {
    const { row, writes } = await clearForced(op, card, event)
    return { answer: { cardTransactionId: row.id, status: row.state }, writes }
  }
  if (before?.card_id !== card.id)
    throw new ApiError('CARD_TRANSACTION_NOT_FOUND', { details: { field: 'token' } })
  const { row, writes } =
    event.kind === 'clearing'
      ? await clear(op, before, event.amount, planFor(op, before))
      : await giveBack(op, before, event.amount)
  return { answer: { cardTransactionId: row.id, status: row.state }, writes }
}

function isForced(event: ClearingEvent | ReturnEvent): event is ForcedClearing {
  return event.kind === 'clearing' && event.merchant !== undefined && event.amount > 0n
}

/** What is claimed is in the currency of the card: the processor has converted it. Error: 400 `INVALID_INPUT`. */
function checkCurrency(claimed: string, currency: string): void {
  if (claimed !== currency)
    throw fieldError('INVALID_INPUT', 'currency', `currency is ${claimed}, the card is in ${currency}`)
}

interface Told {
  readonly scope: string
  readonly key: string
  readonly requestHash: Buffer
  /** What names it. */
  readonly field: 'token' | 'eventId'
}

/** Where the answer to an event is kept, so that it is decided once. */
function toldOf(op: Op, event: ProcessorEvent): Told {
  const { kind, processorRef, token, amount } = event
  const isAuthorization = kind === 'authorization'
  const same = isAuthorization ? [processorRef, amount, event.currency] : [processorRef, amount]
  return {
    scope: `card-processor ${op.platform.id} ${kind}`,
    key: isAuthorization ? token : toCanonicalJson([token, event.eventId]),
    requestHash: createHash('sha256').update(toCanonicalJson(same)).digest(),
    field: isAuthorization ? 'token' : 'eventId',
  }
}

/**
 * Where it is kept what an approval came to that was late or asked for again: whoever is first, a retry that is told of
 * it or what undoes it, has the last word.
 */
function wordOf(op: Op, event: AuthorizationEvent): Told {
  const told = toldOf(op, event)
  return { ...told, scope: `${told.scope} word` }
}

/** Guard: nothing is kept there. */
function keep(op: Op, told: Told, answer: AuthorizationAnswer | MovedAnswer): Write {
  return storeAnswer(op, told, { status: 200, body: toJson(answer) })
}

/** Error: 409 `CONFLICT` where it was about something else. */
async function findTold<Answer>(op: Op, told: Told): Promise<Answer | undefined> {
  const kept = await selectIdempotencyKey(op, told.scope, told.key)
  if (!kept) return undefined
  if (!told.requestHash.equals(kept.request_hash)) throw usedBefore(told.field)
  return parseJson(kept.body) as Answer
}

function usedBefore(field: Told['field']): ApiError {
  return new ApiError('CONFLICT', {
    message: `This ${field} was used before for something else.`,
    details: { field },
  })
}
