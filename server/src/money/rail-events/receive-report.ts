import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import type { rail_event } from '@countersign/contract/connectors/rail-events'
import { ApiError, type ProcessorHandler } from '../../kernel/operation/operation.ts'
import { BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'
import { applyEvent } from './apply-evidence.ts'
import { type ApplyStatement, findRailEvent, recordReport } from './rail-events.ts'

/**
 * Receives reports from connectors. Idempotent: an event takes effect once, and a repeated event returns the
 * first response.
 */
export function createRailEvent(applyStatement: ApplyStatement): ProcessorHandler<typeof rail_event> {
  return {
    /** Throws 404 `NOT_FOUND` if the rail does not exist. */
    async resolvePlatform({ rails, lookup }, { params }) {
      const rail = rails.find(params.rail)
      const platformId = rail && (await rails.ownerOf(rail))
      const platform = platformId && (await lookup(BARE_PLATFORM_BY_ID, platformId))
      if (!platform) throw new ApiError('NOT_FOUND')
      return { platform, actor: { kind: 'rail', rail: params.rail } }
    },

    async replay(op, { params, body }) {
      const before = await findRailEvent(op, params.rail, body.id)
      return before && { status: 200, body: { received: true } }
    },

    async handle(op, { params, body }) {
      const applied = await (body.type === 'statement'
        ? applyStatement(op, params.rail, body.data)
        : applyEvent(op, params.rail, body))
      const storedBody = body.type === 'statement' ? { ...body, data: withoutEntries(body.data) } : body
      return {
        status: 200,
        body: { received: true },
        writes: [...applied.writes, ...recordReport(op, params.rail, storedBody, applied.reason, applied)],
      }
    },

    timeout: () => undefined,
  }
}

/** Replaces a statement's entries by their number, because the entries have their own tables. */
function withoutEntries({ entries, ...head }: Extract<ConnectorEvent, { type: 'statement' }>['data']) {
  return { ...head, entries: entries.length }
}
