import { AGENT_WORDS, CUSTOMER_WORDS } from './search-words.ts'

/** Indexes for what people look for and page through. */
export const reads = `
CREATE INDEX customers_words ON customers USING gin ((${CUSTOMER_WORDS}));
CREATE INDEX agents_words ON agents USING gin ((${AGENT_WORDS}));
CREATE INDEX quotes_page ON quotes (platform_id, created_at DESC, id DESC);
CREATE INDEX quotes_customer ON quotes (customer_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (platform_id, state, ended_at);
-- A replay of events is in the lane of webhooks.
DROP INDEX jobs_due_main;
CREATE INDEX jobs_due_main ON jobs (platform_id, due_at, id)
  WHERE kind NOT IN ('customers.import', 'message.deliver', 'deposit-account.open', 'deposit.return',
    'external-account.check', 'rail-payment.cancel', 'transaction.pull', 'transaction.refund', 'transaction.settle',
    'transfer.settle', 'webhook.ask', 'webhook.deliver', 'webhook.replay');
DROP INDEX jobs_due_webhooks;
CREATE INDEX jobs_due_webhooks ON jobs (platform_id, due_at, id) WHERE kind IN ('webhook.deliver', 'webhook.replay');
CREATE INDEX cards_last4 ON cards (platform_id, last4);
CREATE INDEX external_accounts_identifier ON external_accounts (platform_id, identifier) WHERE deleted_at IS NULL;
CREATE INDEX external_accounts_platform_account_id ON external_accounts (platform_id, platform_account_id)
  WHERE deleted_at IS NULL AND platform_account_id IS NOT NULL;
`
