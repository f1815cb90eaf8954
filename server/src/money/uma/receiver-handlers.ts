import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { receivers } from '@countersign/contract/payments/receivers'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { newLookupId } from './lookups.ts'
import { findSender, listCurrencyPreferences } from './receivers.ts'
import { resolveUma } from './uma.ts'

export const receiverHandlers: Handlers<typeof receivers> = {
  receiver_uma_lookup: async (op, { params, query }) => {
    const receiver = await resolveUma(op, params.receiverUmaAddress, 'receiverUmaAddress')
    const sender = await findSender(op, query)
    return {
      status: 200,
      body: {
        receiverUmaAddress: receiver.address,
        supportedCurrencies: await listCurrencyPreferences(op, sender, receiver.currencies),
        requiredPayerDataFields: [...receiver.requiredFields],
        lookupId: newLookupId(op, receiver.address),
      },
    }
  },

  /** Records of any customer other than the sender are treated as missing, as in a quote. */
  receiver_external_account_lookup: async (op, { params, query }) => {
    const account = await findExternalAccount(op, params.accountId, 'accountId')
    const sender = await findSender(op, query)
    if (sender && account.customer_id !== null && account.customer_id !== sender.id)
      throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'accountId' } })
    return {
      status: 200,
      body: {
        accountId: account.id,
        supportedCurrencies: await listCurrencyPreferences(
          op,
          sender,
          [account.currency].filter(isKnownCurrency),
        ),
        requiredPayerDataFields: [],
        lookupId: newLookupId(op, account.id),
      },
    }
  },
}
