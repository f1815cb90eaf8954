import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Facts } from '../../ui/facts.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { Read } from '../../ui/read.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { CustomerName } from '../customers/customer-name.tsx'

const PARENT = { title: 'Customers', to: '/customers' }

/** An account at a bank, a provider or on a chain, to which a customer pays out or from which it pays in. */
export function ExternalAccountPage({ accountId }: { readonly accountId: string }) {
  const query = useQuery({
    queryKey: ['accounts', accountId],
    queryFn: () => countersign.externalAccounts.get(accountId),
  })
  const account = query.data
  if (!account)
    return (
      <Page title="External account" parent={PARENT}>
        {query.isPending ? <Loading lines={6} /> : <Read query={query}>{() => null}</Read>}
      </Page>
    )
  const { customerId, currency, accountInfo, status } = account
  return (
    <Page title={wordsOf(accountInfo.accountType)} aside={<Status of={status} />} parent={PARENT}>
      <RecordId id={accountId} />
      <Panel title="About">
        <Facts
          of={[
            [
              'Customer',
              customerId && (
                <TextLink to={`/customers/${customerId}`}>
                  <CustomerName id={customerId} />
                </TextLink>
              ),
            ],
            ['Currency', currency],
          ]}
        />
      </Panel>
      <Raw of={account} />
    </Page>
  )
}
