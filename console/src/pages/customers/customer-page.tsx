import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionMenu, type MenuAction } from '../../ui/action-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { type Customer, formatCustomerName, getVerificationState } from './customer.ts'
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
      title={formatCustomerName(customer)}
      aside={<Status state={customer.isDeleted ? 'DELETED' : getVerificationState(customer)} />}
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
  const missingPermission = useMissingPermission('MANAGE')
  const disabledReason = customer.isDeleted ? 'The customer is already deleted.' : missingPermission
  const client = useQueryClient()
  const remove: MenuAction = {
    label: 'Delete',
    successText: 'Customer deleted.',
    disabledReason,
    act: () => countersign.customers.delete(customer.id),
    question: {
      title: 'Delete this customer?',
      text: 'All cards are closed, and sessions and credentials are revoked. A customer who has money or payments in progress cannot be deleted. This cannot be undone.',
    },
    onDone: () => void client.invalidateQueries({ queryKey: ['customers'] }),
  }
  return <ActionMenu actions={[remove]} />
}
