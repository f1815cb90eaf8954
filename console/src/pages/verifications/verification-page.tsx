import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { Page } from '../../ui/page.tsx'
import { findNext, QueueNav } from '../../ui/queue-nav.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { toLinkTarget } from '../../ui/target.ts'
import { formatCustomerName } from '../customers/customer.ts'
import { Claims, formatOwnerName, Owners } from './claims.tsx'
import { DecisionActions } from './decision-actions.tsx'
import { Decisions, Missing } from './decisions.tsx'
import { Documents } from './documents.tsx'
import { useWaitingCases, type Verification } from './verification.ts'

const route = getRouteApi('/verifications/$verificationId')
const PARENT = { title: 'Verifications', to: '/verifications' }
const getPath = (id: string) => `/verifications/${id}`

export function VerificationPage() {
  const { verificationId } = route.useParams()
  const query = useQuery({
    queryKey: ['verifications', verificationId],
    queryFn: () => countersign.verifications.get(verificationId),
  })
  return (
    <RecordPage query={query} title="Verification" parent={PARENT}>
      {(record) => <Case verification={record} />}
    </RecordPage>
  )
}

/** A verification case: the customer's data next to the documents that confirm it. */
function Case({ verification }: { readonly verification: Verification }) {
  const { id, customerId, verificationStatus } = verification
  const customer = useQuery({
    queryKey: ['customers', customerId],
    queryFn: () => countersign.customers.get(customerId),
  })
  const owners = useQuery({
    queryKey: ['verifications', 'owners', customerId],
    queryFn: () => countersign.beneficialOwners.list({ customerId, limit: 100 }),
    enabled: customer.data?.customerType === 'BUSINESS',
  })
  const queue = useWaitingCases().rows.map((row) => row.id)
  const navigate = useNavigate()
  const openNext = () => {
    const next = findNext(queue, id)
    if (next !== undefined) void navigate(toLinkTarget(getPath(next)))
  }
  const holders = [
    { id: customerId, name: customer.data ? formatCustomerName(customer.data) : 'The customer' },
    ...(owners.data?.data ?? []).map(({ id: ownerId, personalInfo }) => ({
      id: ownerId,
      name: formatOwnerName(personalInfo),
    })),
  ]
  return (
    <Page
      title={customer.data ? formatCustomerName(customer.data) : 'Verification'}
      aside={<Status state={verificationStatus} />}
      actions={
        <>
          <QueueNav ids={queue} current={id} getPath={getPath} />
          <DecisionActions verification={verification} holders={holders} openNext={openNext} />
        </>
      }
      parent={PARENT}
    >
      <RecordId id={id} />
      <Missing errors={verification.errors} holders={holders} />
      <div className="halves">
        <div className="stacked">
          <QueryResult query={customer} lines={8}>
            {(data) => <Claims customer={data} />}
          </QueryResult>
          {owners.data && <Owners owners={owners.data.data} />}
          <Decisions verificationId={id} />
        </div>
        <div className="stacked">
          {holders.map((holder) => (
            <Documents key={holder.id} holder={holder} isOnly={holders.length === 1} />
          ))}
        </div>
      </div>
    </Page>
  )
}
