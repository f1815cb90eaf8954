import { Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Time } from '../../ui/time.tsx'
import type { Agent } from './agent.ts'

type DeviceCode = Awaited<ReturnType<typeof countersign.agents.createDeviceCode>>

/** Buttons that connect, pause and delete the agent. */
export function AgentActions({ agent }: { readonly agent: Agent }) {
  const { id, name, isPaused, isConnected } = agent
  const client = useQueryClient()
  const navigate = useNavigate()
  const [code, setCode] = useState<DeviceCode>()
  const manageDenied = useDenied('MANAGE')
  const spendDenied = useSpendingDenied(agent)
  const pause = async () => {
    const refresh = await countersign.agents.update(id, { isPaused: !isPaused })
    client.setQueryData(['agents', 'one', id], refresh)
    await client.invalidateQueries({ queryKey: ['agents'] })
  }
  const remove = async () => {
    await countersign.agents.delete(id)
    await navigate({ to: '/agents' })
    client.removeQueries({ queryKey: ['agents', 'one', id] })
    await client.invalidateQueries({ queryKey: ['agents'] })
  }
  return (
    <>
      <ActionButton
        label="Device code"
        done={undefined}
        denied={manageDenied ?? spendDenied}
        act={async () => setCode(await countersign.agents.createDeviceCode(id))}
        {...(isConnected
          ? {
              ask: {
                title: 'Create a device code?',
                text: `${name} is connected. The program that redeems the code replaces it, and its current token ends.`,
              },
            }
          : {})}
      />
      <ActionButton
        label={isPaused ? 'Resume' : 'Pause'}
        done={isPaused ? 'The agent may act again.' : 'The agent is paused.'}
        denied={manageDenied ?? (isPaused ? spendDenied : undefined)}
        act={pause}
      />
      <ActionButton
        label="Delete"
        done="Deleted the agent."
        color="red"
        denied={manageDenied}
        act={remove}
        ask={{
          title: `Delete ${name}?`,
          text: 'Its token ends immediately, and what waits for approval is rejected. Its history is kept. This cannot be undone.',
        }}
      />
      {code && <CodeDialog code={code} close={() => setCode(undefined)} />}
    </>
  )
}

/**
 * Why the member may not let this agent act, if it moves money and the member may not. Undefined if the
 * member may.
 */
function useSpendingDenied({ policy: { permissions } }: Agent): string | undefined {
  const denied = useDenied('TRANSACT')
  return permissions.some((one) => one === 'CREATE_TRANSFERS' || one === 'EXECUTE_QUOTES')
    ? denied
    : undefined
}

const WAITING_MS = 2_000

/** Shows the code, which is displayed only once, and whether it has been redeemed. */
function CodeDialog({ code, close }: { readonly code: DeviceCode; readonly close: () => void }) {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['device-codes', code.code],
    queryFn: async () => {
      const state = await countersign.agents.getDeviceCode(code.code)
      if (state.redeemed) await client.invalidateQueries({ queryKey: ['agents'] })
      return state
    },
    refetchInterval: ({ state }) => (state.data?.redeemed ? false : WAITING_MS),
  })
  return (
    <Modal opened onClose={close} title="Device code" centered>
      <Stack>
        <span>Give this code to the agent. It is shown once, and connects one program.</span>
        <Group justify="space-between">
          <Code fz="xl">{code.code}</Code>
          <CopyButton value={code.code}>
            {({ copy, copied }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
        <span role="status">
          {data?.redeemed ? (
            'The agent is connected.'
          ) : (
            <>
              Waits for the agent. Valid until <Time at={code.expiresAt} />.
            </>
          )}
        </span>
      </Stack>
    </Modal>
  )
}
