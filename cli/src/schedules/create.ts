import { WEEKDAYS } from '@countersign/contract/core/formats'
import {
  BUSINESS_DAY_CALENDARS,
  BUSINESS_DAY_CONVENTIONS,
  MISSED_PAYMENT_RULES,
} from '@countersign/contract/payments/payment-schedules'
import type { BodyInput } from '@countersign/sdk'
import { findAccountCurrency } from '../connection/account-currency.ts'
import { printResult, type Shell } from '../connection/shell.ts'
import { findCurrency, formatAmount, parseAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { formatSchedule } from './words.ts'

export interface CreateOptions {
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly rule: string
  readonly name?: string
  readonly remittance?: string
  readonly time?: string
  readonly timeZone?: string
  readonly businessDays?: string
  readonly calendar?: string
  readonly start?: string
  readonly end?: string
  readonly count?: string
  readonly notice?: string
  readonly ifMissed?: string
  readonly needsApproval?: boolean
  readonly yes?: boolean
}

type Body = BodyInput<'payment_schedule_create'>

const HOUR_SECONDS = 3600

/** `countersign schedules create`. Throws Failure if an option is invalid. */
export async function createSchedule(shell: Shell, options: CreateOptions): Promise<void> {
  const currency = findCurrency(await findAccountCurrency(shell, options.from))
  const amount = parseAmount(options.amount, currency)
  if (amount === undefined || amount === 0n)
    throw new Failure(`--amount must be like 25 or 25.00, in ${currency.code}, not "${options.amount}".`)
  const body: Body = {
    source: { accountId: options.from },
    destination: { accountId: options.to },
    amount,
    rule: readRule(options.rule),
    ...readTerms(options),
  }
  await confirmAction(`Pay ${formatAmount(amount, currency)} by the rule ${options.rule}?`, options.yes)
  const schedule = await shell.countersign.paymentSchedules.create(body)
  printResult(shell, schedule, formatSchedule(schedule))
}

function readTerms(options: CreateOptions): Partial<Body> {
  const { name, remittance, time, timeZone, businessDays, calendar, start, end, count, notice, ifMissed } =
    options
  return {
    ...(name === undefined ? {} : { name }),
    ...(remittance === undefined ? {} : { remittanceInformation: remittance }),
    ...(time === undefined ? {} : { time }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(businessDays === undefined
      ? {}
      : { businessDays: readChoice(BUSINESS_DAY_CONVENTIONS, businessDays, '--business-days') }),
    ...(calendar === undefined
      ? {}
      : { calendar: readChoice(BUSINESS_DAY_CALENDARS, calendar, '--calendar') }),
    ...(start === undefined ? {} : { startDate: start }),
    ...(end === undefined ? {} : { endDate: end }),
    ...(count === undefined ? {} : { count: readNumber(count, '--count') }),
    ...(notice === undefined ? {} : { noticeSeconds: readNumber(notice, '--notice') * HOUR_SECONDS }),
    ...(ifMissed === undefined
      ? {}
      : { ifMissed: readChoice(MISSED_PAYMENT_RULES, ifMissed, '--if-missed') }),
    ...(options.needsApproval ? { needsApproval: true } : {}),
  }
}

/** Parses a rule such as `weekly:MON,THU`. Throws Failure if it is malformed. */
export function readRule(text: string): Body['rule'] {
  const [kind = '', value = ''] = text.split(':')
  switch (kind.toLowerCase()) {
    case 'once':
      return { type: 'ONCE', date: value }
    case 'daily':
      return { type: 'DAILY' }
    case 'weekly':
      return {
        type: 'WEEKLY',
        weekdays: value.split(',').map((day) => readChoice(WEEKDAYS, day.trim(), 'A day of the week')),
      }
    case 'monthly':
      return {
        type: 'MONTHLY',
        day: value.toLowerCase() === 'last' ? 31 : readNumber(value, 'The day of the month'),
      }
    default:
      throw new Failure(`--rule must be once:2030-01-31, daily, weekly:MON,THU or monthly:31, not "${text}".`)
  }
}

function readChoice<const Words extends readonly string[]>(
  words: Words,
  text: string,
  label: string,
): Words[number] {
  const choice = words.find((candidate) => candidate === text.toUpperCase())
  if (choice === undefined) throw new Failure(`${label} must be one of ${words.join(', ')}, not "${text}".`)
  return choice
}

function readNumber(text: string, label: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Failure(`${label} must be a number, not "${text}".`)
  return Number(text)
}
