import { config_get, config_update } from './config.ts'
import { credential_create, credential_delete } from './credential-registration.ts'
import { credential_challenge, credential_list, credential_verify } from './credentials.ts'
import {
  customer_create,
  customer_delete,
  customer_get,
  customer_list,
  customer_update,
} from './customers.ts'
import type { Endpoint } from './endpoint.ts'
import { exchange_rate_list } from './exchange-rates.ts'
import {
  customer_external_account_create,
  customer_external_account_delete,
  customer_external_account_get,
  customer_external_account_list,
  platform_external_account_create,
  platform_external_account_delete,
  platform_external_account_get,
  platform_external_account_list,
} from './external-accounts.ts'
import { sandbox_inbox_list } from './inbox.ts'
import {
  customer_internal_account_list,
  internal_account_export,
  internal_account_update,
  platform_internal_account_list,
} from './internal-accounts.ts'
import { quote_create, quote_execute, quote_get } from './quotes.ts'
import { sandbox_uma_receive, transaction_approve, transaction_reject } from './receipts.ts'
import { receiver_external_account_lookup, receiver_uma_lookup } from './receivers.ts'
import {
  sandbox_account_fund,
  sandbox_clock_advance,
  sandbox_clock_get,
  sandbox_magic_value_list,
  sandbox_reset,
} from './sandbox.ts'
import { sandbox_send } from './sandbox-send.ts'
import { session_delete, session_list, session_refresh } from './sessions.ts'
import { token_create, token_delete, token_get, token_list } from './tokens.ts'
import { transaction_confirm, transaction_get, transaction_list } from './transactions.ts'
import { transfer_in, transfer_out } from './transfers.ts'
import {
  event_get,
  event_list,
  event_redeliver,
  sandbox_webhook_test,
  webhook_secret_create,
  webhook_secret_list,
} from './webhooks.ts'

/** Every endpoint by its name. The same name stands for the handler, the store function and the test. */
export const API = {
  config_get,
  config_update,
  token_create,
  token_list,
  token_get,
  token_delete,
  customer_create,
  customer_list,
  customer_get,
  customer_update,
  customer_delete,
  customer_internal_account_list,
  platform_internal_account_list,
  internal_account_update,
  internal_account_export,
  customer_external_account_create,
  customer_external_account_list,
  customer_external_account_get,
  customer_external_account_delete,
  platform_external_account_create,
  platform_external_account_list,
  platform_external_account_get,
  platform_external_account_delete,
  credential_list,
  credential_challenge,
  credential_verify,
  credential_create,
  credential_delete,
  session_list,
  session_refresh,
  session_delete,
  exchange_rate_list,
  receiver_uma_lookup,
  receiver_external_account_lookup,
  quote_create,
  quote_get,
  quote_execute,
  transfer_in,
  transfer_out,
  transaction_list,
  transaction_get,
  transaction_confirm,
  transaction_approve,
  transaction_reject,
  sandbox_account_fund,
  sandbox_send,
  sandbox_uma_receive,
  sandbox_clock_get,
  sandbox_clock_advance,
  sandbox_inbox_list,
  sandbox_magic_value_list,
  sandbox_reset,
  event_list,
  event_get,
  event_redeliver,
  webhook_secret_list,
  webhook_secret_create,
  sandbox_webhook_test,
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof API
