import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import {
  type Customer,
  formatAddress,
  getVerificationState,
  listBusinessFacts,
  listPersonFacts,
} from './customer.ts'
import { VerificationActions } from './verification-actions.tsx'

/** The customer's identity, and how far their verification is. */
export function CustomerFacts({ customer }: { readonly customer: Customer }) {
  const { email, phoneNumber, contactVerification } = customer
  return (
    <div className="stacked">
      <Panel title="About">
        <Facts
          items={[
            ['Kind', formatConstant(customer.customerType)],
            ...(customer.customerType === 'INDIVIDUAL'
              ? listPersonFacts(customer)
              : listBusinessFacts(customer)),
            ['E-mail', email && <Contact text={email} state={contactVerification?.email} />],
            ['Phone', phoneNumber && <Contact text={phoneNumber} state={contactVerification?.phone} />],
            ['UMA address', customer.umaAddress],
            ['Address', formatAddress(customer)],
            ['Region', customer.region],
            ['Currencies', customer.currencies?.join(', ')],
            ['Your reference', customer.platformCustomerId],
            ['Created', <Time key="created" at={customer.createdAt} />],
            ['Changed', <Time key="changed" at={customer.updatedAt} />],
          ]}
        />
      </Panel>
      <VerificationPanel customer={customer} />
    </div>
  )
}

function Contact({ text, state }: { readonly text: string; readonly state: string | undefined }) {
  return (
    <Group gap="xs" component="span">
      {text}
      {state !== undefined && <Status state={state} />}
    </Group>
  )
}

function VerificationPanel({ customer }: { readonly customer: Customer }) {
  const query = useQuery({
    queryKey: ['verifications', 'of', customer.id],
    queryFn: () => countersign.verifications.list({ customerId: customer.id, limit: 1 }),
  })
  return (
    <Panel title="Verification" actions={<Status state={getVerificationState(customer)} />}>
      <div className="stacked">
        <QueryResult query={query} lines={3}>
          {({ data: [latest] }) =>
            latest ? (
              <Facts
                items={[
                  ['Case', <Status key="case" state={latest.verificationStatus} />],
                  ['Missing', latest.errors.length > 0 ? `${latest.errors.length} to resolve` : undefined],
                  ['Submitted', `${latest.submission} times`],
                  ['Changed', <Time key="changed" at={latest.updatedAt} />],
                  [
                    '',
                    <TextLink key="open" to={`/verifications/${latest.id}`}>
                      Open the case
                    </TextLink>,
                  ],
                ]}
              />
            ) : (
              <span className="soft">No verification yet. Start one, or send the customer a link.</span>
            )
          }
        </QueryResult>
        <VerificationActions customer={customer} />
      </div>
    </Panel>
  )
}
