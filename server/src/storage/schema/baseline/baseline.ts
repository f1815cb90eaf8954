import { agentTables } from './agents.ts'
import { auditTables } from './audit.ts'
import { bankFileTables } from './bank-files.ts'
import { cardTables } from './cards.ts'
import { chainTables } from './chains.ts'
import { customerTables } from './customers.ts'
import { eventTables } from './events.ts'
import { ledgerTables } from './ledger.ts'
import { memberTables } from './members.ts'
import { ownMoneyTables } from './own-money.ts'
import { paymentScheduleTables } from './payment-schedules.ts'
import { paymentTables } from './payments.ts'
import { payoutTables } from './payouts.ts'
import { platformTables } from './platforms.ts'
import { railTables } from './rails.ts'
import { signInTables } from './sign-in.ts'
import { verificationTables } from './verifications.ts'
import { workTables } from './work.ts'

/**
 * A database whose baseline has another name is rejected. Until the first release that has it, rename the
 * baseline with every change.
 */
export const BASELINE_NAME = '0001-baseline-23'

/**
 * All tables with their constraints and indexes, ordered by their references. Functions and triggers are in
 * `schema/functions/`; every row belongs to one platform. All ids and times come from `Op`, never from the
 * database.
 */
export const BASELINE = [
  platformTables,
  memberTables,
  customerTables,
  verificationTables,
  signInTables,
  paymentTables,
  payoutTables,
  paymentScheduleTables,
  ownMoneyTables,
  ledgerTables,
  agentTables,
  cardTables,
  railTables,
  bankFileTables,
  chainTables,
  eventTables,
  workTables,
  auditTables,
].join('')
