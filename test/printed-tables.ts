import { readFileSync } from 'node:fs'
import { DIFFERENCES } from '@countersign/contract/operation/reconciliations'
import { AGENT_ACTION_TRANSITIONS } from '@countersign/contract/states/agent-states'
import {
  CARD_TRANSACTION_TRANSITIONS,
  CARD_TRANSITIONS,
  DELEGATED_KEY_TRANSITIONS,
} from '@countersign/contract/states/card-states'
import {
  ERASURE_TRANSITIONS,
  IMPORT_TRANSITIONS,
  INVITATION_TRANSITIONS,
  STABLECOIN_ACCOUNT_TRANSITIONS,
  VERIFICATION_TRANSITIONS,
} from '@countersign/contract/states/customer-states'
import { DEPOSIT_TRANSITIONS } from '@countersign/contract/states/deposit-states'
import {
  INCOMING_TRANSACTION_TRANSITIONS,
  OUTGOING_TRANSACTION_TRANSITIONS,
  PULL_TRANSITIONS,
  QUOTE_TRANSITIONS,
  REFUND_TRANSITIONS,
  TRANSFER_OUT_TRANSITIONS,
} from '@countersign/contract/states/payment-states'
import { PAYOUT_BATCH_TRANSITIONS } from '@countersign/contract/states/payout-states'
import { PAYMENT_SCHEDULE_TRANSITIONS } from '@countersign/contract/states/schedule-states'
import { SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import { accountTypeTables, formatAccountArgumentTable } from './account-type-tables.ts'
import { formatAgentApprovalTable, formatAgentDenialTable, formatAttemptLimitTable } from './agent-tables.ts'
import {
  formatClientMoneyReasonTable,
  formatJournalColumnTable,
  formatJournalFormatTable,
  formatStatementColumnTable,
  formatStatementFormatTable,
  formatTransactionColumnTable,
} from './book-tables.ts'
import { formatCallTable, formatCustomerCallTable } from './call-table.ts'
import { formatCardDeclineTable, formatOverClaimTable } from './card-tables.ts'
import { formatConnectorCallTable } from './connector-tables.ts'
import { formatDecisionTable } from './decision-table.ts'
import { errorEntries, formatDetailCodeTable } from './error-tables.ts'
import { formatEventTable } from './event-tables.ts'
import { formatFileFormatTable, formatSwiftTypeTable, formatTypeCodeTable } from './file-format-tables.ts'
import { formatImportColumnTable } from './import-tables.ts'
import { magicValueTables } from './magic-value-tables.ts'
import { formatMarkdownTable } from './markdown-table.ts'
import { formatMemberRoleTable } from './member-tables.ts'
import { formatNounTable, formatOperatorTable } from './noun-table.ts'
import { formatPayloadTable, formatSignedCallTable } from './signing-tables.ts'
import { formatPersonDocumentTable, formatRequiredDocumentTable } from './verification-tables.ts'
import { formatWatchMetricTable, formatWatchTable } from './watch-tables.ts'

/**
 * The tables in the guides that are generated from the code. A guide contains a table between `<!-- printed:
 * name -->` and `<!-- printed end -->`. `npm run docs` writes the tables, and a test fails if one is out of
 * date.
 */
export const PRINTED_TABLES: Readonly<Record<string, () => string>> = {
  'every call': formatCallTable,
  'nouns and verbs': formatNounTable,
  'operator commands': formatOperatorTable,
  'every error code': errorEntries,
  'codes in details.code': formatDetailCodeTable,
  'every event type': formatEventTable,
  'calls of a connector': formatConnectorCallTable,
  'file formats of banks': formatFileFormatTable,
  'type codes of BAI2': formatTypeCodeTable,
  'types of MT940': formatSwiftTypeTable,
  'account types': accountTypeTables,
  'fields of an external account on the command line': formatAccountArgumentTable,
  'magic values': magicValueTables,
  'what is watched': formatWatchTable,
  'metrics of what is watched': formatWatchMetricTable,
  'when an agent is denied': formatAgentDenialTable,
  'when an agent needs an approval': formatAgentApprovalTable,
  'limits of attempts': formatAttemptLimitTable,
  'roles of members': formatMemberRoleTable,
  'states of an invitation': () => formatStateTable(INVITATION_TRANSITIONS),
  'states of an account at a stablecoin provider': () => formatStateTable(STABLECOIN_ACCOUNT_TRANSITIONS),
  'columns of a file of customers': formatImportColumnTable,
  'columns of a statement': formatStatementColumnTable,
  'columns of the journal': formatJournalColumnTable,
  'formats of the journal': formatJournalFormatTable,
  'formats of a statement': formatStatementFormatTable,
  'reasons in a client-money report': formatClientMoneyReasonTable,
  'columns of a file of transactions': formatTransactionColumnTable,
  'states of a batch of payouts': () => formatStateTable(PAYOUT_BATCH_TRANSITIONS),
  'states of a payment schedule': () => formatStateTable(PAYMENT_SCHEDULE_TRANSITIONS),
  'states of an import': () => formatStateTable(IMPORT_TRANSITIONS),
  'states of an action': () => formatStateTable(AGENT_ACTION_TRANSITIONS),
  'states of a quote': () => formatStateTable(QUOTE_TRANSITIONS),
  'states of a pull': () => formatStateTable(PULL_TRANSITIONS),
  'states of an outgoing transaction': () => formatStateTable(OUTGOING_TRANSACTION_TRANSITIONS),
  'states of a transfer out': () => formatStateTable(TRANSFER_OUT_TRANSITIONS),
  'states of an incoming transaction': () => formatStateTable(INCOMING_TRANSACTION_TRANSITIONS),
  'states of a deposit': () => formatStateTable(DEPOSIT_TRANSITIONS),
  'states of a screening': () => formatStateTable(SCREENING_TRANSITIONS),
  'states of a refund': () => formatStateTable(REFUND_TRANSITIONS),
  'states of a card': () => formatStateTable(CARD_TRANSITIONS),
  'states of a purchase by card': () => formatStateTable(CARD_TRANSACTION_TRANSITIONS),
  'states of a delegated key': () => formatStateTable(DELEGATED_KEY_TRANSITIONS),
  'states of a verification': () => formatStateTable(VERIFICATION_TRANSITIONS),
  'states of an erasure': () => formatStateTable(ERASURE_TRANSITIONS),
  'documents of a verification': formatRequiredDocumentTable,
  'documents of a person': formatPersonDocumentTable,
  'when a card is declined': formatCardDeclineTable,
  'fields of a payload': formatPayloadTable,
  "calls of a customer's token": formatCustomerCallTable,
  'calls that are signed': formatSignedCallTable,
  'limits of claims': formatOverClaimTable,
  'reasons of differences': () =>
    formatMarkdownTable(
      ['reason', 'meaning'],
      Object.entries(DIFFERENCES).map(([reason, words]) => [`\`${reason}\``, words]),
    ),
  decisions: formatDecisionTable,
  'backend of the web example': () => fileBlock('examples/web/backend.ts'),
  'page of the web example': () => fileBlock('examples/web/page.tsx'),
  'variables of the wallet kit': formatKitVariableTable,
}

/** Prints a file of the tree, unchanged. */
function fileBlock(path: string): string {
  const text = readText(path)
  return [`\`\`\`${path.split('.').at(-1)}`, `// ${path}`, text.trimEnd(), '```'].join('\n')
}

function readText(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

/** The variables of the kit's style sheet, with their default values. */
function formatKitVariableTable(): string {
  const css = readText('sdk/src/react/styles.css')
  return formatMarkdownTable(
    ['variable', 'default'],
    [...css.matchAll(/^ {2}(--cs-[\w-]+): (.+);$/gm)].map(([, name, value]) => [
      `\`${name}\``,
      `\`${value}\``,
    ]),
  )
}

type Transitions = Readonly<Record<string, Readonly<Record<string, string | null>>>>

function formatStateTable(transitions: Transitions): string {
  const events = Object.keys(Object.values(transitions)[0]!)
  return formatMarkdownTable(
    ['', ...events],
    Object.entries(transitions).map(([state, row]) => [
      `\`${state}\``,
      ...events.map((event) => (row[event] ? `\`${row[event]}\`` : '-')),
    ]),
  )
}

/** Returns the text with all printed tables regenerated. Throws for an unknown table. */
export function withPrintedTables(text: string): string {
  return text.replace(/<!-- printed: (.+?) -->\n[\s\S]*?<!-- printed end -->/g, (_match, name: string) => {
    const print = PRINTED_TABLES[name]
    if (!print) throw new Error(`No printed table is named "${name}"`)
    return `<!-- printed: ${name} -->\n\n${print()}\n\n<!-- printed end -->`
  })
}
