import { Button, type ButtonProps, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { announce } from './announce.tsx'
import { DeniableButton } from './deniable-button.tsx'
import { usePageKeys } from './keys.ts'
import { ErrorState } from './states.tsx'

type Look = Pick<ButtonProps, 'color' | 'variant' | 'size'>

/** The confirmation dialog of an action, with its consequences. */
export interface Question {
  readonly title: string
  readonly text: ReactNode
  /** True: a reason is required. False: it is optional. If omitted, none is requested. */
  readonly needsReason?: boolean
}

interface ActionButtonProps extends Look {
  readonly label: string
  /** Why the action is unavailable. Shown by the disabled button. */
  readonly disabledReason?: string | undefined
  readonly act: (reason: string) => Promise<unknown>
  /** If omitted, the action is performed immediately. */
  readonly question?: Question
  /** The confirmation afterwards, in a sentence. Undefined if the page itself shows the result. */
  readonly successText: string | undefined
  readonly onDone?: () => void
  /** The page's keyboard shortcut for the action. */
  readonly hotkey?: string
}

/**
 * A button that changes something; if the record's state or a missing permission prevents the action, the
 * button is disabled and says why. Asks for confirmation if the action is irreversible. Shows the server's
 * error and keeps the input.
 */
export function ActionButton(props: ActionButtonProps) {
  const { label, disabledReason, act, question, successText, onDone, hotkey, ...look } = props
  const [isOpen, { open, close }] = useDisclosure(false)
  const [reason, setReason] = useState('')
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: () => {
      close()
      setReason('')
      if (successText !== undefined) announce(successText)
      onDone?.()
    },
  })
  const start = question ? open : () => mutation.mutate('')
  usePageKeys(hotkey !== undefined && disabledReason === undefined ? { [hotkey]: start } : {})
  return (
    <>
      <DeniableButton
        variant="default"
        {...look}
        disabledReason={disabledReason}
        loading={!question && mutation.isPending}
        {...(hotkey === undefined ? {} : { hotkey })}
        onClick={start}
      >
        {label}
      </DeniableButton>
      {!question && mutation.isError && <Problem error={mutation.error} close={mutation.reset} />}
      {question && (
        <Modal opened={isOpen} onClose={close} title={question.title} centered>
          <QuestionForm
            question={question}
            label={label}
            look={look}
            reason={reason}
            change={setReason}
            mutation={mutation}
            close={close}
          />
        </Modal>
      )}
    </>
  )
}

/**
 * The question, the reason if one is requested, and the confirmation button. In the reason, Enter starts a
 * new line and Ctrl+Enter submits.
 */
export function QuestionForm(props: {
  readonly question: Question
  readonly label: string
  readonly look: Look
  readonly reason: string
  readonly change: (reason: string) => void
  readonly mutation: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error'>
  readonly close: () => void
}) {
  const { question, label, look, reason, change, mutation, close } = props
  const isLacking = question.needsReason === true && reason.trim() === ''
  const isPlain = question.needsReason === undefined
  const submit = () => {
    if (!isLacking && !mutation.isPending) mutation.mutate(reason.trim())
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md">
        <div className="anywhere">{question.text}</div>
        {question.needsReason !== undefined && (
          <Reason isNeeded={question.needsReason} reason={reason} change={change} submit={submit} />
        )}
        {mutation.error && <ErrorState error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            {...look}
            type="submit"
            variant="filled"
            disabled={isLacking}
            loading={mutation.isPending}
            {...(isPlain ? { 'data-autofocus': true } : {})}
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Reason(props: {
  readonly isNeeded: boolean
  readonly reason: string
  readonly change: (reason: string) => void
  readonly submit: () => void
}) {
  const { isNeeded, reason, change, submit } = props
  return (
    <Textarea
      label="Reason"
      description={isNeeded ? 'Stored with the decision' : 'Stored with the decision (optional)'}
      data-autofocus
      autosize
      minRows={2}
      maxLength={500}
      value={reason}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
      }}
    />
  )
}

/** Shows the error of an action without a confirmation dialog. */
function Problem({ error, close }: { readonly error: unknown; readonly close: () => void }) {
  return (
    <Modal opened onClose={close} title={<Text fw={600}>Action failed</Text>} centered>
      <ErrorState error={error} />
    </Modal>
  )
}
