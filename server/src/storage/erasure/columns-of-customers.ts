import {
  ERASED,
  ERASED_RECORD,
  ERASED_SEAL,
  ERASED_UMA_ADDRESS,
  OWN_ACCOUNTS,
  replaceWithWord,
  type TableColumns,
} from './table-columns.ts'

const OF_CUSTOMER = 'customer_id = $1'
const OF_ACCOUNTS = `account_id IN ${OWN_ACCOUNTS}`
const OWN_VERIFICATIONS = '(SELECT id FROM verifications WHERE customer_id = $1)'
const OWN_DOCUMENTS = '(SELECT file_id FROM documents WHERE customer_id = $1)'
const OWN_CARDS = '(SELECT id FROM cards WHERE cardholder_id = $1)'
const OWN_AGENTS = '(SELECT id FROM agents WHERE customer_id = $1)'

/** Removes UMA addresses within the JSON of a column. */
const withoutUma = (column: string) =>
  String.raw`regexp_replace(${column}::text, '"\$[^"@ ]+@[^"]+"', '"${ERASED_UMA_ADDRESS}"', 'g')::jsonb`

/** Columns of customers, their accounts, and everything else that belongs to them. */
export const COLUMNS_OF_CUSTOMERS: Readonly<Record<string, TableColumns>> = {
  customers: {
    plain: 'customer_type verification_status currencies version email_verification phone_verification',
    // Erased in the last step, because these columns lead to the customer's other records.
    apart: {
      platform_customer_id: 'customers',
      region: 'customers',
      email: 'customers',
      uma_address: 'customers',
      details: 'customers',
    },
  },
  internal_accounts: {
    plain: 'type currency status credentials_version chain_rail',
    kept: {
      spark_address: 'a network address, which the records of the network also contain',
      chain_address: 'public chains keep it permanently',
      sealed_seed: 'no other key can move what arrives at the address later',
    },
    erased: [{ by: 'customer', rows: OF_CUSTOMER, set: { funding: 'NULL' } }],
  },
  external_accounts: {
    plain: 'currency account_type status beneficiary_verification_status verification_status changes',
    erased: [
      {
        by: 'customer',
        rows: OF_CUSTOMER,
        set: {
          platform_account_id: 'NULL',
          account_info: "jsonb_build_object('accountType', account_type)",
          status_reason: replaceWithWord('status_reason'),
          // Accounts that are not deleted must have a unique fingerprint.
          fingerprint: 'id::text',
          identifier: ERASED,
          deleted_at: 'coalesce(deleted_at, (SELECT deleted_at FROM customers WHERE id = $1))',
        },
      },
    ],
  },
  account_verifications: {
    plain: 'start customer_start state attempts_left failure_reason delivered',
    kept: {
      account_digest: 'a keyed digest, which limits the deposits to the same bank account for 30 days',
    },
    erased: [{ by: 'customer', rows: OF_CUSTOMER, set: { message: replaceWithWord('message') } }],
  },
  account_changes: {
    plain: 'rail code state actor_type actor_name',
    erased: [
      {
        by: 'customer',
        rows: OF_CUSTOMER,
        set: {
          previous: "'{}'",
          proposed: "'{}'",
          message: replaceWithWord('message'),
          reason: replaceWithWord('reason'),
        },
      },
    ],
  },
  mandates: {
    plain: 'type signed_on collections last_collected_on rail',
    erased: [
      {
        by: 'customer',
        rows: OF_CUSTOMER,
        set: {
          // Unique, and in the form of a generated reference.
          reference: "upper(replace(id::text, '-', ''))",
          debtor_name: ERASED,
          debtor_account: ERASED,
          debtor_sort_code: replaceWithWord('debtor_sort_code'),
          cancel_reason: ERASED,
          // There is nobody left to debit.
          canceled_at: 'coalesce(canceled_at, (SELECT deleted_at FROM customers WHERE id = $1))',
          canceled_by: "coalesce(canceled_by, 'PLATFORM')",
        },
      },
    ],
  },
  beneficial_owners: {
    plain: 'roles ownership_percentage kyc_status version',
    erased: [
      {
        by: 'customer',
        rows: OF_CUSTOMER,
        set: { personal_info: "'{}'", sealed_identifier: ERASED_SEAL, shown_identifier: ERASED },
      },
    ],
  },
  verifications: {
    plain: 'status submission',
    erased: [
      { by: 'customer', rows: OF_CUSTOMER, set: { errors: "'[]'", requested: "'[]'", case_digest: 'NULL' } },
    ],
  },
  verification_decisions: {
    plain: 'submission decision decider decider_id',
    erased: [
      {
        by: 'customer',
        rows: `verification_id IN ${OWN_VERIFICATIONS}`,
        set: { reason: replaceWithWord('reason'), errors: "'[]'" },
      },
    ],
  },
  documents: {
    plain: 'document_type side content_type bytes version',
    erased: [
      {
        by: 'customer',
        // Deleted in a separate step.
        rows: `${OF_CUSTOMER} AND deleted_at IS NOT NULL`,
        set: {
          country: ERASED,
          sealed_number: 'NULL',
          shown_number: 'NULL',
          issuing_authority: 'NULL',
          issued_on: 'NULL',
          file_name: ERASED,
          sha256: "''::bytea",
        },
      },
    ],
  },
  stored_files: {
    plain: 'state bytes',
    // Removed together with the document.
    apart: { sealed_key: 'documents' },
    erased: [
      { by: 'customer', rows: `id IN ${OWN_DOCUMENTS} AND state = 'REMOVED'`, set: { sha256: "''::bytea" } },
    ],
  },
  document_reads: {
    plain: 'kind',
    kept: { asked_by: 'the reviewer', address: 'the address of the reviewer' },
  },
  credentials: {
    plain: 'type webauthn_sign_count version',
    erased: [
      {
        by: 'customer',
        rows: OF_ACCOUNTS,
        set: {
          nickname: ERASED,
          contact: 'NULL',
          oidc_issuer: 'NULL',
          oidc_audience: 'NULL',
          oidc_subject: 'NULL',
          webauthn_id: 'NULL',
          webauthn_public_key: 'NULL',
        },
      },
    ],
  },
  otp_challenges: { plain: 'target_public_key sealed_target_key code_mac tries' },
  code_failures: { plain: 'failures' },
  sessions: { plain: 'public_key' },
  signing_requests: {
    plain: 'operation target body_hash signer_public_key stamp',
    kept: { payload: 'for executed payments: the signed data proves who authorized them' },
    erased: [
      // Signing requests that are not payments are found by the account, and unsigned payments by the quote.
      {
        by: 'customer',
        rows: `${OF_ACCOUNTS} AND operation <> 'quote_execute'`,
        set: { payload: ERASED, context: "'{}'" },
      },
      {
        by: 'customer',
        rows: 'consumed_at IS NULL AND id IN (SELECT signing_request_id FROM quotes WHERE customer_id = $1)',
        set: { payload: ERASED, context: "'{}'" },
      },
      {
        by: 'customer',
        rows: 'consumed_at IS NOT NULL AND id IN (SELECT signing_request_id FROM quotes WHERE customer_id = $1)',
        set: { context: "'{}'" },
      },
    ],
  },
  used_id_tokens: { plain: '' },
  contact_codes: {
    plain: 'channel code_mac tries',
    erased: [{ by: 'customer', rows: OF_CUSTOMER, set: { contact: ERASED } }],
  },
  messages: {
    plain: 'channel state attempts failure_reason',
    apart: { recipient: 'messages', subject: 'messages', sealed_content: 'messages' },
    erased: [{ by: 'customer', rows: OF_CUSTOMER, isEarly: true }],
  },
  message_counts: { plain: 'in_hour in_day', apart: { recipient: 'messageCounts' } },
  kyc_links: {
    plain: 'uploads',
    apart: { redirect_uri: 'kyc_links', session_hash: 'kyc_links' },
    erased: [{ by: 'customer', rows: OF_CUSTOMER, isEarly: true }],
  },
  customer_tokens: { plain: 'permissions secret_hash' },
  customer_imports: { plain: 'state columns next_byte total successful failed' },
  customer_import_errors: {
    plain: 'row_number code',
    // These rows name the customer by the platform's own id, which is erased with the customer's row in the
    // last step.
    erased: [
      {
        by: 'customer',
        rows: '(platform_id, correlation_id) IN (SELECT platform_id, platform_customer_id FROM customers WHERE id = $1)',
        set: { correlation_id: ERASED, message: ERASED, details: "'{}'" },
      },
    ],
  },
  invitations: {
    plain: 'amount currency state',
    erased: [
      {
        by: 'customer',
        rows: OF_CUSTOMER,
        set: {
          inviter_uma: `'${ERASED_UMA_ADDRESS}'`,
          invitee_uma: `CASE WHEN invitee_uma IS NOT NULL THEN '${ERASED_UMA_ADDRESS}' END`,
          first_name: 'NULL',
        },
      },
      // Invitations that other customers of the platform sent and this customer claimed. A customer of
      // another platform may have the same address.
      {
        by: 'customer',
        rows: '(platform_id, invitee_uma) = (SELECT platform_id, uma_address FROM customers WHERE id = $1)',
        set: { invitee_uma: `'${ERASED_UMA_ADDRESS}'`, first_name: 'NULL' },
      },
    ],
    kept: { url: 'contains only the code and the host of the platform' },
  },
  invitation_attempts: { plain: 'failures' },
  agents: {
    plain: 'policy policy_version token_hash version',
    erased: [{ by: 'customer', rows: OF_CUSTOMER, set: { name: ERASED } }],
  },
  agent_policies: { plain: 'version policy' },
  agent_device_codes: { plain: 'code_mac' },
  agent_actions: {
    plain: 'type state decided',
    erased: [
      { by: 'customer', rows: `agent_id IN ${OWN_AGENTS}`, set: { reason: replaceWithWord('reason') } },
    ],
  },
  agent_decisions: {
    plain: 'policy_version',
    erased: [
      {
        by: 'customer',
        rows: `agent_id IN ${OWN_AGENTS}`,
        set: { decision: withoutUma('decision'), inputs: withoutUma('inputs') },
      },
    ],
  },
  agent_reservations: { plain: 'state currency amount day month' },
  agent_budgets: { plain: 'period currency spent count' },
  cards: {
    plain: 'state state_reason currency version',
    kept: {
      processor_ref: 'needed to attribute later merchant claims and refunds',
      issuer_ref: 'needed to attribute later merchant claims and refunds',
    },
    erased: [
      {
        by: 'customer',
        rows: 'cardholder_id = $1',
        set: {
          platform_card_id: 'id::text',
          platform_freeze: 'NULL',
          brand: 'NULL',
          last4: 'NULL',
          exp_month: 'NULL',
          exp_year: 'NULL',
          pan_embed_url: 'NULL',
        },
      },
    ],
  },
  delegated_keys: {
    plain: 'public_key sealed_key status',
    erased: [{ by: 'customer', rows: `card_id IN ${OWN_CARDS}`, set: { nickname: ERASED } }],
  },
  card_pull_signatures: {
    plain: 'number signature',
    kept: { statement: 'a signature by the card key proves who authorized the purchase' },
  },
  card_transactions: {
    plain:
      'state source_currency currency held_amount signature authorized_amount claim_max unclaimed_amount settlement_count ' +
      'settled_amount pull_count pulled_amount pending_count pending_amount uncollected_amount refund_count refunded_amount version',
    kept: {
      merchant: 'the merchant of a purchase is part of the books',
      issuer_transaction_token: 'needed to attribute later merchant claims and refunds',
    },
  },
  audit_events: {
    plain: 'actor_type operation request',
    apart: {
      actor_name: 'auditEvents',
      address: 'auditEvents',
      user_agent: 'auditEvents',
      before: 'auditEvents',
      after: 'auditEvents',
    },
  },
  erasures: { plain: 'state' },
}

/** Columns of the audit trail to erase, limited to the changes that its trigger allows (`only-erased.ts`). */
export const AUDIT_EVENT_ERASED: Readonly<Record<string, string>> = {
  before: `CASE WHEN before IS NOT NULL THEN '${ERASED_RECORD}'::jsonb END`,
  after: `CASE WHEN after IS NOT NULL THEN '${ERASED_RECORD}'::jsonb END`,
  // For backends and team members these columns say who acted, so they are kept.
  ...Object.fromEntries(
    ['actor_name', 'address', 'user_agent'].map((column) => [
      column,
      `CASE WHEN actor_type IN ('CUSTOMER', 'AGENT') THEN NULL ELSE ${column} END`,
    ]),
  ),
}
