import { Button, type ButtonProps, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { DeniableButton } from './deniable-button.tsx'
import { ErrorState } from './states.tsx'

type Look = Pick<ButtonProps, 'color' | 'variant' | 'size'>

/** The confirmation before an action, with its effects. */
interface Question {
  readonly title: string
  readonly text: ReactNode
  /** Absent: no reason is requested. False: it may stay empty. */
  readonly needsReason?: boolean
}

interface ActionButtonProps extends Look {
  readonly label: string
  /** The reason why it cannot be done now, shown by the disabled button. */
  readonly denied?: string | undefined
  readonly act: (reason: string) => Promise<unknown>
  /** Without a question the button acts at once. */
  readonly ask?: Question
  readonly onDone?: () => void
}

/**
 * A button that changes something. Disabled with a reason if the state or a missing permission does not allow
 * it; asks for confirmation if the action cannot be undone; shows the server's error, and keeps the input.
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
  const isLacking = ask?.needsReason === true && reason.trim() === ''
  return (
    <>
      <DeniableButton
        variant="default"
        {...look}
        denied={denied}
        loading={!ask && mutation.isPending}
        onClick={ask ? open : () => mutation.mutate('')}
      >
        {label}
      </DeniableButton>
      {!ask && mutation.isError && <Problem error={mutation.error} close={mutation.reset} />}
      {ask && (
        <Modal opened={isOpen} onClose={close} title={ask.title} centered>
          <Stack gap="md">
            <div className="anywhere">{ask.text}</div>
            {ask.needsReason !== undefined && (
              <Reason isNeeded={ask.needsReason} reason={reason} change={setReason} />
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

function Reason(props: {
  readonly isNeeded: boolean
  readonly reason: string
  readonly change: (reason: string) => void
}) {
  const { isNeeded, reason, change } = props
  return (
    <Textarea
      label="Reason"
      description={isNeeded ? 'Kept with the decision' : 'Kept with the decision; may be left out'}
      autosize
      minRows={2}
      maxLength={500}
      value={reason}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

/** The error of an action without a confirmation. */
function Problem({ error, close }: { readonly error: unknown; readonly close: () => void }) {
  return (
    <Modal opened onClose={close} title={<Text fw={600}>Not done</Text>} centered>
      <ErrorState error={error} />
    </Modal>
  )
}
