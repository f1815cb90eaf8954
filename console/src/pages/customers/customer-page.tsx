import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionMenu, type MenuAction } from '../../ui/action-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { type Customer, getVerificationState, nameOf } from './customer.ts'
import { CustomerAccounts } from './customer-accounts.tsx'
import { CustomerFacts } from './customer-facts.tsx'
import { CustomerRecords } from './customer-records.tsx'
import { CustomerTimeline } from './customer-timeline.tsx'
import { EditCustomer } from './edit-customer.tsx'

const route = getRouteApi('/customers/$customerId')
const PARENT = { title: 'Customers', to: '/customers' }

export function CustomerPage() {
  const { customerId } = route.useParams()
  const query = useQuery({
    queryKey: ['customers', customerId],
    queryFn: () => countersign.customers.get(customerId),
  })
  return (
    <RecordPage query={query} title="Customer" parent={PARENT}>
      {(record) => <CustomerDetail customer={record} />}
    </RecordPage>
  )
}

function CustomerDetail({ customer }: { readonly customer: Customer }) {
  return (
    <Page
      title={nameOf(customer)}
      aside={<Status of={customer.isDeleted ? 'DELETED' : getVerificationState(customer)} />}
      actions={
        <>
          <EditCustomer customer={customer} />
          <CustomerMenu customer={customer} />
        </>
      }
      parent={PARENT}
    >
      <RecordId id={customer.id} />
      <div className="columns">
        <div className="stacked">
          <CustomerAccounts customerId={customer.id} />
          <CustomerRecords customerId={customer.id} />
        </div>
        <div className="stacked">
          <CustomerFacts customer={customer} />
          <CustomerTimeline customerId={customer.id} />
        </div>
      </div>
    </Page>
  )
}

function CustomerMenu({ customer }: { readonly customer: Customer }) {
  const isDenied = useDenied('MANAGE')
  const denied = customer.isDeleted ? 'The customer is already deleted.' : isDenied
  const client = useQueryClient()
  const remove: MenuAction = {
    label: 'Delete',
    done: 'Deleted the customer.',
    denied,
    act: () => countersign.customers.delete(customer.id),
    ask: {
      title: 'Delete this customer?',
      text: 'Cards are closed, sessions and credentials end. This cannot be undone. It is refused while an account holds money or a payment is in progress.',
    },
    onDone: () => void client.invalidateQueries({ queryKey: ['customers'] }),
  }
  return <ActionMenu actions={[remove]} />
}
