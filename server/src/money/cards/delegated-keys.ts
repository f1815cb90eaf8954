import type { delegated_key_create, delegatedKeys } from '@countersign/contract/cards/delegated-keys'
import {
  CARD_TRANSITIONS,
  DELEGATED_KEY_INITIAL,
  DELEGATED_KEY_TRANSITIONS,
} from '@countersign/contract/states/card-states'
import { canSeeAccount, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError, type Handlers, type Input } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { SIGNING_SECONDS } from '../../kernel/signing/signing.ts'
import { expectRow, insert } from '../../storage/commit/writes.ts'
import type { CardRow, DelegatedKeyRow } from '../../storage/rows/card.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { describeCard, findCard } from './cards.ts'
import { revokeKey } from './close-cards.ts'
import { selectActiveKey, selectDelegatedKey, selectDelegatedKeys } from './store.ts'

export const delegatedKeyHandlers: Handlers<typeof delegatedKeys> = {
  /**
   * Allows the enclave to sign the payments of one card from a wallet. The wallet's holder signs the request
   * in a session.
   */
  delegated_key_create: {
    async toSign(op, { body }) {
      const { card, wallet } = await findCardAndWallet(op, body)
      return {
        accountId: wallet.id,
        statement: {
          operation: 'delegated_key_create',
          summary: `Let ${describeCard(card)} take any amount from this wallet without asking again`,
          card: card.id,
          ...(card.last4 === null ? {} : { last4: card.last4 }),
          nickname: body.nickname,
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
      }
    },

    async handle(op, { body }) {
      const { card, wallet } = await findCardAndWallet(op, body)
      const id = op.newId('DelegatedKey')
      const { publicKey, sealedKey } = op.enclave.newDelegatedKey(id)
      const key: DelegatedKeyRow = {
        id,
        platform_id: op.platform.id,
        card_id: card.id,
        account_id: wallet.id,
        public_key: publicKey,
        sealed_key: sealedKey,
        nickname: body.nickname,
        status: DELEGATED_KEY_INITIAL,
        created_at: op.now,
        updated_at: op.now,
      }
      return {
        status: 201,
        body: toDelegatedKeyView(key),
        writes: [insert('delegated_keys', key), expectRow('cards', card.id, { version: card.version })],
      }
    },
  },

  delegated_key_list: async (op, { query }) => ({
    status: 200,
    body: { data: (await selectDelegatedKeys(op, query)).map(toDelegatedKeyView) },
  }),

  delegated_key_get: async (op, { params }) => ({
    status: 200,
    body: toDelegatedKeyView(await findDelegatedKey(op, params.id)),
  }),

  /** Revoking a key that is already revoked changes nothing. */
  delegated_key_delete: async (op, { params }) => {
    const key = await findDelegatedKey(op, params.id)
    const isRevoked = nextState(DELEGATED_KEY_TRANSITIONS, key.status, 'revoke') === null
    return {
      status: 204,
      body: undefined,
      writes: isRevoked ? [] : [revokeKey(op, key)],
    }
  },
}

type CreateBody = Input<typeof delegated_key_create>['body']

/**
 * Finds the card and the wallet. Throws 404 for either, 400 `FUNDING_SOURCE_INELIGIBLE`, 409
 * `DELEGATED_KEY_ALREADY_EXISTS`.
 */
async function findCardAndWallet(
  op: Op,
  { cardId, internalAccountId }: CreateBody,
): Promise<{ readonly card: CardRow; readonly wallet: InternalAccountRow }> {
  const card = await findCard(op, cardId, 'cardId')
  const field = 'internalAccountId'
  const wallet = await findInternalAccount(op, internalAccountId, field)
  if (wallet.type !== 'EMBEDDED_WALLET' || !card.funding_sources.includes(wallet.id))
    throw createFieldError(
      'FUNDING_SOURCE_INELIGIBLE',
      field,
      `${field} is not an embedded wallet that funds this card`,
    )
  if (nextState(CARD_TRANSITIONS, card.state, 'delete') === null)
    throw createFieldError('INVALID_INPUT', 'cardId', `The card is ${card.state}, so it cannot get a key.`)
  const activeKey = await selectActiveKey(op, card.id, wallet.id)
  if (activeKey)
    throw new ApiError('DELEGATED_KEY_ALREADY_EXISTS', {
      details: { field, delegatedKeyId: activeKey.id },
    })
  return { card, wallet }
}

async function findDelegatedKey(op: Op, id: string): Promise<DelegatedKeyRow> {
  const key = await selectDelegatedKey(op, id)
  if (!key || !(await canSeeAccount(op, key.account_id)))
    throw new ApiError('DELEGATED_KEY_NOT_FOUND', { details: { field: 'id' } })
  return key
}

function toDelegatedKeyView(key: DelegatedKeyRow) {
  return {
    id: key.id,
    cardId: key.card_id,
    fundingSourceId: key.account_id,
    accountId: key.account_id,
    publicKey: key.public_key,
    nickname: key.nickname,
    status: key.status,
    createdAt: key.created_at.toISOString(),
    updatedAt: key.updated_at.toISOString(),
  }
}
