import { Button, type ButtonProps, Group, Modal, Stack, Text, Textarea, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ErrorState } from './states.tsx'

interface ActionButtonProps extends Pick<ButtonProps, 'color' | 'variant' | 'size'> {
  readonly label: string
  /** Why it cannot be done now: the button is grey and says so. */
  readonly denied?: string | undefined
  readonly act: (reason: string) => Promise<unknown>
  /** What is asked before: in words, with what will happen. Without it the button acts at once. */
  readonly ask?: { readonly title: string; readonly text: ReactNode; readonly needsReason?: boolean }
  readonly onDone?: () => void
}

/**
 * A button that changes something. Grey with a reason where the state or a missing permission does not allow it; asks before
 * what cannot be undone; shows what the server refused, and keeps what was typed.
 */
export function ActionButton({ label, denied, act, ask, onDone, ...look }: ActionButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [reason, setReason] = useState('')
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: () => {
      close()
      setReason('')
      onDone?.()
    },
  })
  const start = ask ? open : () => mutation.mutate('')
  const isLacking = ask?.needsReason === true && reason.trim() === ''
  return (
    <>
      <Tooltip label={denied} disabled={denied === undefined}>
        <Button
          variant="default"
          {...look}
          // Not `disabled`, so that a keyboard reaches it and the reason is read.
          {...(denied === undefined ? {} : { 'data-disabled': true })}
          aria-disabled={denied !== undefined}
          loading={!ask && mutation.isPending}
          onClick={(event) => (denied === undefined ? start() : event.preventDefault())}
        >
          {label}
        </Button>
      </Tooltip>
      {!ask && mutation.isError && <Problem error={mutation.error} close={mutation.reset} />}
      {ask && (
        <Modal opened={isOpen} onClose={close} title={ask.title} centered>
          <Stack gap="md">
            <div className="anywhere">{ask.text}</div>
            {ask.needsReason !== undefined && (
              <Textarea
                label="Reason"
                description={
                  ask.needsReason ? 'Kept with the decision' : 'Kept with the decision; may be left out'
                }
                autosize
                minRows={2}
                maxLength={500}
                value={reason}
                onChange={({ currentTarget }) => setReason(currentTarget.value)}
              />
            )}
            {mutation.isError && <ErrorState error={mutation.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button
                {...look}
                variant="filled"
                disabled={isLacking}
                loading={mutation.isPending}
                onClick={() => mutation.mutate(reason.trim())}
              >
                {label}
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  )
}

/** The refusal of an action that was not asked about before. */
function Problem({ error, close }: { readonly error: unknown; readonly close: () => void }) {
  return (
    <Modal opened onClose={close} title={<Text fw={600}>Not done</Text>} centered>
      <ErrorState error={error} />
    </Modal>
  )
}
