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
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { checkEvent, transition } from '../../kernel/operation/transition.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { TreasuryKeyRow } from '../../storage/rows/own-money.ts'
import { selectKey, selectRailKeys } from './store.ts'

type KeyView = SuccessOf<typeof treasury_key_get>['body']

/** Throws 404 `TREASURY_KEY_NOT_FOUND`. */
export async function findKey(op: Op, id: string): Promise<TreasuryKeyRow> {
  const row = await selectKey(op, id)
  if (!row) throw new ApiError('TREASURY_KEY_NOT_FOUND', { details: { field: 'treasuryKeyId' } })
  return row
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the event is impossible in the key's state. */
export function checkKeyEvent({ state }: TreasuryKeyRow, by: TreasuryKeyEvent): void {
  checkEvent(TREASURY_KEY_TRANSITIONS, state, by, `The key is ${state}.`)
}

/**
 * Throws 400 `INVALID_INPUT` naming `rail` if it is neither a chain of the platform nor the sandbox's rail.
 */
async function findTreasuryRail(op: Op, name: string): Promise<Rail> {
  const rail = op.rails.find(name)
  if (rail?.isSimulated) return rail
  if (rail?.chain && (await op.rails.ownerOf(rail)) === op.platform.id) return rail
  throw createFieldError('INVALID_INPUT', 'rail', `The platform has no treasury on rail ${name}.`)
}

/**
 * Creates a key that replaces the current one when it is approved. Guard: no other key has the same number.
 * Throws 400 `INVALID_INPUT`, 409 `TREASURY_KEY_ALREADY_EXISTS` while another key waits for approval.
 */
export async function newKey(
  op: Op,
  { rail: name, reason }: BodyOf<typeof treasury_key_create>,
): Promise<TreasuryKeyRow> {
  const { chain } = await findTreasuryRail(op, name)
  const earlier = await selectRailKeys(op, name)
  const pending = earlier.find(({ state }) => state === TREASURY_KEY_INITIAL)
  if (pending)
    throw new ApiError('TREASURY_KEY_ALREADY_EXISTS', {
      message: `${pending.id} is already waiting for approval.`,
      details: { field: 'rail', treasuryKeyId: pending.id },
    })
  const number = earlier.reduce((max, key) => Math.max(max, key.number), 0) + 1
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

/** An activated key, the update of its row, and the other writes. */
export interface ActivatedKey {
  readonly row: TreasuryKeyRow
  readonly change: Write
  readonly writes: readonly Write[]
}

/**
 * Moves the treasury to a key. Guards: both keys and the treasury are unchanged. Throws 400, 503
 * `UNAVAILABLE`.
 */
export async function activateKey(op: Op, key: TreasuryKeyRow): Promise<ActivatedKey> {
  const { chain } = await findTreasuryRail(op, key.rail)
  const current = (await selectRailKeys(op, key.rail)).find(
    ({ state }) => state === TREASURY_KEY_TRANSITIONS.AWAITING_APPROVAL.activate,
  )
  const { row, write } = transitionKey(op, key, 'activate')
  return {
    row,
    change: write,
    // Retires the current key first, because only one key can be active.
    writes: [
      ...(current ? [transitionKey(op, current, 'retire').write] : []),
      ...(chain ? await chain.rotate(op, key.number) : []),
    ],
  }
}

/** Guard: the key's state is unchanged. */
export function transitionKey(op: Op, row: TreasuryKeyRow, by: TreasuryKeyEvent) {
  return transition(op, 'treasury_keys', TREASURY_KEY_TRANSITIONS, row, by)
}

export function toTreasuryKeyView(op: Op, row: TreasuryKeyRow): KeyView {
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
