import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { treasury_key_create, treasury_key_get } from '@countersign/contract/operation/treasury'
import {
  TREASURY_KEY_INITIAL,
  TREASURY_KEY_TRANSITIONS,
  type TreasuryKeyEvent,
} from '@countersign/contract/states/own-money-states'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { checkEvent, transition } from '../../kernel/operation/transition.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { TreasuryKeyRow } from '../../storage/rows/own-money.ts'
import { selectKey, selectKeysOf } from './store.ts'

type KeyView = SuccessOf<typeof treasury_key_get>['body']

/** Error: 404 `TREASURY_KEY_NOT_FOUND`. */
export async function findKey(op: Op, id: string): Promise<TreasuryKeyRow> {
  const row = await selectKey(op, id)
  if (!row) throw new ApiError('TREASURY_KEY_NOT_FOUND', { details: { field: 'treasuryKeyId' } })
  return row
}

/** Error: 409 `INVALID_STATE_TRANSITION`. */
export function checkKeyMay({ state }: TreasuryKeyRow, by: TreasuryKeyEvent): void {
  checkEvent(TREASURY_KEY_TRANSITIONS, state, by, `The key is ${state}.`)
}

/** Error: 400 `INVALID_INPUT` naming `rail`, if it is not a chain of the platform or the sandbox's rail. */
async function findTreasuryRail(op: Op, name: string): Promise<Rail> {
  const rail = op.rails.find(name)
  if (rail?.isSimulated) return rail
  if (rail?.chain && (await op.rails.ownerOf(rail)) === op.platform.id) return rail
  throw fieldError('INVALID_INPUT', 'rail', `The platform has no treasury on a chain ${name}`)
}

/**
 * A key that replaces the current one once it is approved. Guard of its number: no other key has it. Errors:
 * 400 `INVALID_INPUT`, 409 `TREASURY_KEY_ALREADY_EXISTS` while another one waits.
 */
export async function newKey(
  op: Op,
  { rail: name, reason }: BodyOf<typeof treasury_key_create>,
): Promise<TreasuryKeyRow> {
  const { chain } = await findTreasuryRail(op, name)
  const earlier = await selectKeysOf(op, name)
  const waiting = earlier.find(({ state }) => state === TREASURY_KEY_INITIAL)
  if (waiting)
    throw new ApiError('TREASURY_KEY_ALREADY_EXISTS', {
      message: `${waiting.id} waits for its approval.`,
      details: { field: 'rail', treasuryKeyId: waiting.id },
    })
  const number = earlier.reduce((most, one) => Math.max(most, one.number), 0) + 1
  return {
    id: op.newId('TreasuryKey'),
    platform_id: op.platform.id,
    rail: name,
    number,
    address: chain ? chain.treasuryAddress(number) : op.enclave.chainAddress(`m/44'/60'/0'/0'/${number}'`),
    state: TREASURY_KEY_INITIAL,
    reason,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** A key that takes its place: its own change, and the other writes. */
export interface ActivatedKey {
  readonly row: TreasuryKeyRow
  readonly change: Write
  readonly writes: readonly Write[]
}

/**
 * Moves the treasury to a key. Guards: both keys and the treasury are unchanged since they were read. Errors:
 * 400, 503 `UNAVAILABLE`.
 */
export async function activatedKey(op: Op, key: TreasuryKeyRow): Promise<ActivatedKey> {
  const { chain } = await findTreasuryRail(op, key.rail)
  const present = (await selectKeysOf(op, key.rail)).find(
    ({ state }) => state === TREASURY_KEY_TRANSITIONS.AWAITING_APPROVAL.activate,
  )
  const { row, write } = changedKey(op, key, 'activate')
  return {
    row,
    change: write,
    // The current key is retired first, because only one can be active.
    writes: [
      ...(present ? [changedKey(op, present, 'retire').write] : []),
      ...(chain ? await chain.rotate(op, key.number) : []),
    ],
  }
}

/** Guard: it is in the state that was read. */
export function changedKey(op: Op, row: TreasuryKeyRow, by: TreasuryKeyEvent) {
  return transition(op, 'treasury_keys', TREASURY_KEY_TRANSITIONS, row, by)
}

export function keyView(op: Op, row: TreasuryKeyRow): KeyView {
  return present({
    id: row.id,
    status: row.state,
    rail: row.rail,
    network: op.rails.find(row.rail)?.chain?.network,
    address: toChecksumAddress(row.address.slice(2)),
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
