import type { EventType } from '@countersign/contract/events/events'
import {
  type Fault,
  type FaultRule,
  parseFault,
  type WebhookFault,
} from '@countersign/contract/sandbox/faults'
import type { App, Op } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'
import type { SandboxConfig } from './platform-config.ts'
import { findPlatform } from './platforms.ts'

/** Calls without faults, because callers need them to remove a rule. */
const EXEMPT_CALLS: ReadonlySet<string> = new Set(['config_get', 'config_update'])

type Matches = (rule: FaultRule, fault: Fault) => boolean

/**
 * Takes the fault that a rule injects into a call, and counts it. Undefined in production, and for members,
 * so that the console keeps working.
 */
export async function takeCallFault(app: App, op: Op, operation: string): Promise<Fault | undefined> {
  if (op.actor.kind === 'member' || EXEMPT_CALLS.has(operation)) return undefined
  const matches: Matches = (rule, { webhook }) =>
    !webhook && (rule.operation === undefined || rule.operation === operation)
  return takeFault(app, op, matches)
}

/** Takes the fault that a rule injects into a webhook delivery, and counts it. */
export async function takeDeliveryFault(
  app: App,
  op: Op,
  type: EventType,
): Promise<WebhookFault | undefined> {
  return (await takeFault(app, op, isForDelivery(type)))?.webhook
}

/** True if a rule has a fault for an event delivery. */
export function hasDeliveryFault(op: Op, type: EventType): boolean {
  return findFirstRule(op, op.platform, isForDelivery(type)) !== undefined
}

function isForDelivery(type: EventType): Matches {
  return (rule, { webhook }) =>
    webhook !== undefined && (rule.eventType === undefined || rule.eventType === type)
}

async function takeFault(app: App, op: Op, matches: Matches): Promise<Fault | undefined> {
  if (!findFirstRule(op, op.platform, matches)) return undefined
  return decideAndCommit(
    app,
    op,
    async () => undefined,
    async () => {
      const taken = await takeMatchingFault(op, matches)
      return { answer: taken?.fault, writes: taken?.writes ?? [] }
    },
  )
}

/**
 * Finds the fault of the first matching rule in the current settings, with the write that counts it. Guard:
 * the platform is unchanged.
 */
async function takeMatchingFault(op: Op, matches: Matches) {
  const platform = await findPlatform(op)
  const match = findFirstRule(op, platform, matches)
  if (!match) return undefined
  const { rules, rule, fault } = match
  return { fault, writes: rule.times === undefined ? [] : [countDown(op, platform, rules, rule, rule.times)] }
}

function countDown(
  op: Op,
  { id, config, version }: PlatformRow,
  rules: readonly FaultRule[],
  rule: FaultRule,
  times: number,
): Write {
  const left = times - 1
  const faults = rules.flatMap((other) =>
    other !== rule ? [other] : left > 0 ? [{ ...rule, times: left }] : [],
  )
  const sandboxConfig = { ...(config.sandboxConfig ?? {}), faults }
  const change = { config: { ...config, sandboxConfig }, version: version + 1, updated_at: op.now }
  return update('platforms', id, { version }, change)
}

/** Reads nothing: the config is part of the operation. */
function findFirstRule(op: Op, platform: PlatformRow, matches: Matches) {
  const rules = getFaultRules(op, platform)
  for (const rule of rules) {
    const fault = parseFault(rule.fault)
    if (fault && matches(rule, fault)) return { rules, rule, fault }
  }
  return undefined
}

function getFaultRules(op: Op, { config }: PlatformRow): readonly FaultRule[] {
  const { faults }: Partial<SandboxConfig> = config.sandboxConfig ?? {}
  return op.mode === 'sandbox' ? (faults ?? []) : []
}
