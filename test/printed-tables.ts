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
import { accountArgumentTable, accountTypeTables } from './account-type-tables.ts'
import { agentApprovalTable, agentDenialTable, attemptLimitTable } from './agent-tables.ts'
import {
  clientMoneyReasonTable,
  journalColumnTable,
  journalFormatTable,
  statementColumnTable,
  statementFormatTable,
  transactionColumnTable,
} from './book-tables.ts'
import { callTable, customerCallTable } from './call-table.ts'
import { cardDeclineTable, overClaimTable } from './card-tables.ts'
import { connectorCallTable } from './connector-tables.ts'
import { decisionTable } from './decision-table.ts'
import { detailCodeTable, errorEntries } from './error-tables.ts'
import { eventTable } from './event-tables.ts'
import { fileFormatTable, swiftTypeTable, typeCodeTable } from './file-format-tables.ts'
import { importColumnTable } from './import-tables.ts'
import { magicValueTables } from './magic-value-tables.ts'
import { markdownTable } from './markdown-table.ts'
import { memberRoleTable } from './member-tables.ts'
import { nounTable, operatorTable } from './noun-table.ts'
import { payloadTable, signedCallTable } from './signing-tables.ts'
import { personDocumentTable, requiredDocumentTable } from './verification-tables.ts'
import { watchMetricTable, watchTable } from './watch-tables.ts'

/**
 * The tables in the guides that are generated from the code. A guide contains a table between `<!-- printed:
 * name -->` and `<!-- printed end -->`. `npm run docs` writes the tables, and a test fails if one is out of
 * date.
 */
export const PRINTED_TABLES: Readonly<Record<string, () => string>> = {
  'every call': callTable,
  'nouns and verbs': nounTable,
  'operator commands': operatorTable,
  'every error code': errorEntries,
  'codes in details.code': detailCodeTable,
  'every event type': eventTable,
  'calls of a connector': connectorCallTable,
  'file formats of banks': fileFormatTable,
  'type codes of BAI2': typeCodeTable,
  'types of MT940': swiftTypeTable,
  'account types': accountTypeTables,
  'fields of an external account on the command line': accountArgumentTable,
  'magic values': magicValueTables,
  'what is watched': watchTable,
  'metrics of what is watched': watchMetricTable,
  'when an agent is denied': agentDenialTable,
  'when an agent needs an approval': agentApprovalTable,
  'limits of attempts': attemptLimitTable,
  'roles of members': memberRoleTable,
  'states of an invitation': () => stateTable(INVITATION_TRANSITIONS),
  'states of an account at a stablecoin provider': () => stateTable(STABLECOIN_ACCOUNT_TRANSITIONS),
  'columns of a file of customers': importColumnTable,
  'columns of a statement': statementColumnTable,
  'columns of the journal': journalColumnTable,
  'formats of the journal': journalFormatTable,
  'formats of a statement': statementFormatTable,
  'reasons in a client-money report': clientMoneyReasonTable,
  'columns of a file of transactions': transactionColumnTable,
  'states of a batch of payouts': () => stateTable(PAYOUT_BATCH_TRANSITIONS),
  'states of a payment schedule': () => stateTable(PAYMENT_SCHEDULE_TRANSITIONS),
  'states of an import': () => stateTable(IMPORT_TRANSITIONS),
  'states of an action': () => stateTable(AGENT_ACTION_TRANSITIONS),
  'states of a quote': () => stateTable(QUOTE_TRANSITIONS),
  'states of a pull': () => stateTable(PULL_TRANSITIONS),
  'states of an outgoing transaction': () => stateTable(OUTGOING_TRANSACTION_TRANSITIONS),
  'states of a transfer out': () => stateTable(TRANSFER_OUT_TRANSITIONS),
  'states of an incoming transaction': () => stateTable(INCOMING_TRANSACTION_TRANSITIONS),
  'states of a deposit': () => stateTable(DEPOSIT_TRANSITIONS),
  'states of a screening': () => stateTable(SCREENING_TRANSITIONS),
  'states of a refund': () => stateTable(REFUND_TRANSITIONS),
  'states of a card': () => stateTable(CARD_TRANSITIONS),
  'states of a purchase by card': () => stateTable(CARD_TRANSACTION_TRANSITIONS),
  'states of a delegated key': () => stateTable(DELEGATED_KEY_TRANSITIONS),
  'states of a verification': () => stateTable(VERIFICATION_TRANSITIONS),
  'states of an erasure': () => stateTable(ERASURE_TRANSITIONS),
  'documents of a verification': requiredDocumentTable,
  'documents of a person': personDocumentTable,
  'when a card is declined': cardDeclineTable,
  'fields of a payload': payloadTable,
  "calls of a customer's token": customerCallTable,
  'calls that are signed': signedCallTable,
  'limits of claims': overClaimTable,
  'reasons of differences': () =>
    markdownTable(
      ['reason', 'meaning'],
      Object.entries(DIFFERENCES).map(([reason, words]) => [`\`${reason}\``, words]),
    ),
  decisions: decisionTable,
  'backend of the web example': () => fileBlock('examples/web/backend.ts'),
  'page of the web example': () => fileBlock('examples/web/page.tsx'),
  'variables of the wallet kit': kitVariableTable,
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
function kitVariableTable(): string {
  const css = readText('sdk/src/react/styles.css')
  return markdownTable(
    ['variable', 'default'],
    [...css.matchAll(/^ {2}(--cs-[\w-]+): (.+);$/gm)].map(([, name, value]) => [
      `\`${name}\``,
      `\`${value}\``,
    ]),
  )
}

type Transitions = Readonly<Record<string, Readonly<Record<string, string | null>>>>

function stateTable(transitions: Transitions): string {
  const events = Object.keys(Object.values(transitions)[0]!)
  return markdownTable(
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
