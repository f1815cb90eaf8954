import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { describeAccount, formatLastFour, getBank, getHolder } from '../../ui/account-words.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { AccountMandates } from '../mandates/account-mandates.tsx'
import { AccountChanges } from './account-changes.tsx'
import { AccountVerification } from './account-verification.tsx'

type ExternalAccount = Awaited<ReturnType<typeof countersign.externalAccounts.get>>

const PARENT = { title: 'Customers', to: '/customers' }

/** An account at a bank, at a provider or on a chain, used for payouts and for pulling money in. */
export function ExternalAccountPage({ accountId }: { readonly accountId: string }) {
  const query = useQuery({
    queryKey: ['accounts', accountId],
    queryFn: () => countersign.externalAccounts.get(accountId),
  })
  return (
    <RecordPage query={query} title="External account" parent={PARENT}>
      {(record) => <ExternalAccountDetail account={record} />}
    </RecordPage>
  )
}

function ExternalAccountDetail({ account }: { readonly account: ExternalAccount }) {
  const { id, customerId, currency, accountInfo, status, beneficiaryVerificationStatus: check } = account
  return (
    <Page title={describeAccount(account)} aside={<Status state={status} />} parent={PARENT}>
      <RecordId id={id} />
      <Panel title="About">
        <Facts
          items={[
            [
              'Customer',
              customerId && (
                <TextLink to={`/customers/${customerId}`}>
                  <CustomerName id={customerId} />
                </TextLink>
              ),
            ],
            ['Reason', account.statusReason],
            ['Holder', getHolder(account)],
            ['Name check', check && formatConstant(check)],
            ['Bank', getBank(account)],
            ['Kind', formatConstant(accountInfo.accountType)],
            ['Number', formatLastFour(account)],
            ['Currency', currency],
          ]}
        />
      </Panel>
      <AccountVerification account={account} />
      <AccountMandates filter={{ externalAccountId: id }} accounts={[account]} />
      <AccountChanges accountId={id} />
      <Raw value={account} />
    </Page>
  )
}
