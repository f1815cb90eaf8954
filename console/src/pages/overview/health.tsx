import type { Overview } from '@countersign/contract/operation/overview'
import type { Static } from 'typebox'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'

type Of = Pick<Static<typeof Overview>, 'webhooks' | 'rails' | 'chains' | 'proofs'>

/** The state of webhook deliveries, rails, chains and ledger proofs. */
export function Health({ webhooks, rails, chains, proofs }: Of) {
  const { endpoint, pending, failed, lastDeliveredAt } = webhooks
  return (
    <>
      <Panel
        title="Webhooks"
        actions={<Status state={endpoint === undefined ? 'NOT_SET' : failed > 0 ? 'FAILED' : 'DELIVERED'} />}
      >
        {endpoint === undefined ? (
          <span className="soft">
            No webhook endpoint is set. <TextLink to="/settings">Set the address of your backend</TextLink>.
          </span>
        ) : (
          <Facts
            items={[
              ['Address', endpoint],
              ['Pending', pending.toLocaleString()],
              [
                'Given up',
                failed > 0 ? <GivenUpDeliveries key="failed" up={failed} /> : 'None in seven days',
              ],
              ['Last delivered', <Time key="last" at={lastDeliveredAt} />],
            ]}
          />
        )}
      </Panel>
      <Panel title="Rails">
        <Facts
          items={rails.map(({ name, isAvailable, detail, warnings = [] }) => [
            name,
            <span key={name}>
              <Status state={isAvailable ? 'AVAILABLE' : 'NOT_AVAILABLE'} /> {[detail, ...warnings].join(' ')}
            </span>,
          ])}
        />
      </Panel>
      {chains.length > 0 && (
        <Panel title="Chains">
          <Facts
            items={chains.map(({ rail, followedBlock, followedTime }) => [
              rail,
              <span key={rail}>
                Followed to block {followedBlock.toLocaleString()}, <Time at={followedTime} />
              </span>,
            ])}
          />
        </Panel>
      )}
      <Panel title="Proofs">
        <Facts
          items={[
            ['Not in the hash chain', proofs.unchainedTransfers.toLocaleString()],
            ['Last checkpoint', <Time key="checkpoint" at={proofs.lastCheckpointAt} clock="real" />],
          ]}
        />
      </Panel>
    </>
  )
}

function GivenUpDeliveries({ up }: { readonly up: number }) {
  return (
    <TextLink to="/events" search={{ deliveryStatus: 'FAILED' }}>
      {up.toLocaleString()} in seven days
    </TextLink>
  )
}
