import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Question, QuestionForm } from './action-button.tsx'
import { announce } from './announce.tsx'
import { FormDialog } from './form-dialog.tsx'

/** A rare or irreversible action, which is in the menu and always needs confirmation. */
export interface MenuAction {
  readonly label: string
  /** Why the action is unavailable. Undefined if it is available. */
  readonly disabledReason: string | undefined
  readonly question: Question
  readonly act: (reason: string) => Promise<unknown>
  /** The announcement after success, in a sentence. */
  readonly successText: string
  readonly onDone?: () => void
}

/** The menu next to a page's buttons. Disabled actions show the reason below their label. */
export function ActionMenu({ actions }: { readonly actions: readonly MenuAction[] }) {
  const [selected, setSelected] = useState<MenuAction>()
  const [isDirty, setDirty] = useState(false)
  const close = () => {
    setDirty(false)
    setSelected(undefined)
  }
  return (
    <>
      <Menu position="bottom-end" width={280} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map((action) => (
            <ActionItem key={action.label} action={action} choose={() => setSelected(action)} />
          ))}
        </Menu.Dropdown>
      </Menu>
      <FormDialog
        opened={selected !== undefined}
        onClose={close}
        isDirty={isDirty}
        onTouched={() => setDirty(true)}
        title={selected?.question.title ?? ''}
        centered
      >
        {selected && <ConfirmAction action={selected} close={close} />}
      </FormDialog>
    </>
  )
}

function ActionItem({ action, choose }: { readonly action: MenuAction; readonly choose: () => void }) {
  const { label, disabledReason } = action
  return (
    <Menu.Item
      className={disabledReason === undefined ? 'risky' : 'denied'}
      {...(disabledReason === undefined ? {} : { 'data-disabled': true })}
      closeMenuOnClick={disabledReason === undefined}
      onClick={() => disabledReason === undefined && choose()}
    >
      {label}
      {disabledReason !== undefined && <span className="reason">{disabledReason}</span>}
    </Menu.Item>
  )
}

function ConfirmAction({ action, close }: { readonly action: MenuAction; readonly close: () => void }) {
  const [reason, setReason] = useState('')
  const mutation = useMutation({
    mutationFn: action.act,
    onSuccess: () => {
      close()
      announce(action.successText)
      action.onDone?.()
    },
  })
  return (
    <QuestionForm
      question={action.question}
      label={action.label}
      look={{ color: 'red' }}
      reason={reason}
      change={setReason}
      mutation={mutation}
      close={close}
    />
  )
}
