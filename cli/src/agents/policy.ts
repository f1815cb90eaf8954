import { readFile } from 'node:fs/promises'
import { AGENT_PERMISSIONS, type AgentPermission } from '@countersign/contract/agents/agent-policy'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { type BodyInput, parseJson } from '@countersign/sdk'
import { findCurrency, parseAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'

export type Policy = BodyInput<'agent_create'>['policy']

/** The command line options that describe a policy. Amounts are in whole units, such as `25.00`. */
export interface PolicyOptions {
  readonly policy?: string
  readonly allow?: string
  readonly currency?: string
  readonly perTransaction?: string
  readonly daily?: string
  readonly dailyCount?: string
  readonly monthly?: string
  readonly approveAll?: boolean
  readonly approveOver?: string
  readonly accounts?: string
  readonly payees?: string
}

/**
 * Reads a policy from a file in the API's JSON format, or builds one from the other options. Throws Failure.
 */
export async function readPolicy({ policy: file, ...options }: PolicyOptions): Promise<Policy> {
  if (file === undefined) return buildPolicy(options)
  const otherCount = Object.keys(options).length
  if (otherCount > 0) throw new Failure('--policy sets the complete policy. Omit the other policy options.')
  try {
    return parseJson(await readFile(file, 'utf8')) as Policy
  } catch (error) {
    throw new Failure(`Cannot read ${file} as JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

function buildPolicy(words: Omit<PolicyOptions, 'policy'>): Policy {
  const { currency, perTransaction, allow, approveOver, accounts, payees } = words
  if (currency === undefined || perTransaction === undefined || allow === undefined)
    throw new Failure('A policy needs --allow, --currency and --per-transaction, or a --policy file.')
  if (!isKnownCurrency(currency))
    throw new Failure(`--currency must be a known code like USD, not "${currency}".`)
  const amount = (option: string, text: string): bigint => {
    const value = parseAmount(text, findCurrency(currency))
    if (value !== undefined) return value
    const places = findCurrency(currency).decimals
    throw new Failure(
      `--${option} must be an amount of ${currency} with at most ${places} decimal places, not "${text}".`,
    )
  }
  const { daily, monthly, dailyCount } = words
  return {
    permissions: readAgentPermissions(allow),
    defaultExecutionMode: words.approveAll ? 'APPROVAL_REQUIRED' : 'AUTO',
    spendingLimits: {
      currency,
      perTransactionLimit: amount('per-transaction', perTransaction),
      ...(daily === undefined ? {} : { dailyLimit: amount('daily', daily) }),
      ...(dailyCount === undefined ? {} : { dailyTransactionLimit: readDailyCount(dailyCount) }),
      ...(monthly === undefined ? {} : { monthlyLimit: amount('monthly', monthly) }),
    },
    ...(accounts === undefined && payees === undefined
      ? {}
      : {
          accountRestrictions: {
            ...(accounts === undefined ? {} : { allowedAccountIds: splitList(accounts) }),
            ...(payees === undefined ? {} : { allowedExternalAccountIds: splitList(payees) }),
          },
        }),
    ...(approveOver === undefined
      ? {}
      : { approvalThresholds: { amount: amount('approve-over', approveOver) } }),
  }
}

function readAgentPermissions(text: string): AgentPermission[] {
  return splitList(text).map((word) => {
    const permission = AGENT_PERMISSIONS.find((candidate) => candidate === word)
    if (permission) return permission
    throw new Failure(
      `--allow must be a comma-separated list of ${AGENT_PERMISSIONS.join(', ')}, not "${word}".`,
    )
  })
}

function splitList(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}

function readDailyCount(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw new Failure(`--daily-count must be a whole number, not "${text}".`)
}
