import { Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
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
  const missingManagePermission = useMissingPermission('MANAGE')
  const missingSpendPermission = useMissingSpendPermission(agent)
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
        successText={undefined}
        disabledReason={missingManagePermission ?? missingSpendPermission}
        act={async () => setCode(await countersign.agents.createDeviceCode(id))}
        {...(isConnected
          ? {
              question: {
                title: 'Create a device code?',
                text: `${name} is connected. The program that redeems the code replaces the current one, whose token is revoked.`,
              },
            }
          : {})}
      />
      <ActionButton
        label={isPaused ? 'Resume' : 'Pause'}
        successText={isPaused ? 'The agent may act again.' : 'The agent is paused.'}
        disabledReason={missingManagePermission ?? (isPaused ? missingSpendPermission : undefined)}
        act={pause}
      />
      <ActionButton
        label="Delete"
        successText="Agent deleted."
        color="red"
        disabledReason={missingManagePermission}
        act={remove}
        question={{
          title: `Delete ${name}?`,
          text: 'Its token is revoked immediately, and its pending actions are rejected. Its history is kept. This cannot be undone.',
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
function useMissingSpendPermission({ policy: { permissions } }: Agent): string | undefined {
  const disabledReason = useMissingPermission('TRANSACT')
  return permissions.some(
    (permission) => permission === 'CREATE_TRANSFERS' || permission === 'EXECUTE_QUOTES',
  )
    ? disabledReason
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
        <span>Give this code to the agent. It is shown only once and connects one program.</span>
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
              Waiting for the agent. Valid until <Time at={code.expiresAt} />.
            </>
          )}
        </span>
      </Stack>
    </Modal>
  )
}
