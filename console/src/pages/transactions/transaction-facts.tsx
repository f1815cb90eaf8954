import type { ReactNode } from 'react'
import { AccountLink } from '../../ui/account-name.tsx'
import { CustomerName } from '../../ui/customer-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { type Amount, Money } from '../../ui/money.tsx'
import { formatFigures } from '../../ui/money-format.ts'
import { Panel } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { describeRate } from '../quotes/quote.ts'
import { isOwnedByPlatform, type TransactionRecord } from './columns.tsx'

type Side = NonNullable<TransactionRecord['source']> | TransactionRecord['destination']

/** A payment's amounts, payer, payee, and related records. */
export function TransactionFacts({ transaction }: { readonly transaction: TransactionRecord }) {
  const { sentAmount, receivedAmount, source, destination, customerId, agentId } = transaction
  const isOutgoing = transaction.type === 'OUTGOING'
  const { reference, transactionHash } = transaction.reconciliationInstructions ?? {}
  return (
    <>
      <Panel title="Amounts">
        <Facts
          items={[
            ['Sent', sentAmount && <Money amount={sentAmount} />],
            ['Received', receivedAmount && <Money amount={receivedAmount} />],
            ['Fees', renderFees(transaction)],
            [
              'Rate',
              isOutgoing && transaction.exchangeRate !== undefined && sentAmount && receivedAmount
                ? describeRate(transaction.exchangeRate, sentAmount.currency, receivedAmount.currency)
                : undefined,
            ],
          ]}
        />
      </Panel>
      <Panel title="Parties">
        <Facts
          items={[
            ['From', source && <SideWords side={source} />],
            ['To', <SideWords key="to" side={destination} />],
            [
              'Customer',
              isOwnedByPlatform(transaction) ? (
                'The platform itself'
              ) : (
                <TextLink to={`/customers/${customerId}`}>
                  <CustomerName id={customerId} />
                </TextLink>
              ),
            ],
            [
              'Started by the agent',
              agentId && <TextLink to={`/agents/${agentId}`}>{shortenId(agentId)}</TextLink>,
            ],
            ['Description', transaction.description],
            ['Bank reference', reference],
            ['Transaction hash', transactionHash],
            [
              'Quote',
              isOutgoing && transaction.quoteId ? (
                <TextLink to={`/quotes/${transaction.quoteId}`}>{shortenId(transaction.quoteId)}</TextLink>
              ) : undefined,
            ],
            ['Waits for rail until', renderTime(transaction.waitsUntil)],
            ['Receipt delivered', renderTime(transaction.receiptDeliveryConfirmedAt)],
            ...Object.entries(transaction.counterpartyInformation ?? {}).map(
              ([name, value]) => [formatName(name), toText(value)] as const,
            ),
          ]}
        />
      </Panel>
    </>
  )
}

const renderTime = (time: string | undefined): ReactNode => time && <Time at={time} />

function renderFees(transaction: TransactionRecord): ReactNode {
  const { fees, sentAmount, receivedAmount } = transaction
  if (fees === undefined) return undefined
  const side: Amount | undefined =
    transaction.type === 'OUTGOING' ? sentAmount : (receivedAmount ?? sentAmount)
  return side ? (
    <Money amount={{ amount: fees, currency: side.currency }} />
  ) : (
    formatFigures({ amount: fees, decimals: 0 })
  )
}

function SideWords({ side }: { readonly side: Side }) {
  if ('umaAddress' in side) return side.umaAddress
  if ('address' in side) return <span className="id">{side.address}</span>
  if ('accountId' in side) return <AccountLink id={side.accountId} />
  const { accountHolderName, accountIdentifier, bankName, remittanceInformation } = side
  const words = [accountHolderName, accountIdentifier, bankName].filter(Boolean).join(', ')
  return `${words || 'From outside'}${remittanceInformation ? `: “${remittanceInformation}”` : ''}`
}

/** Converts `legalEntityName` to words. */
function formatName(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
