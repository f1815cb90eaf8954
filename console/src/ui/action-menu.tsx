import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Question, QuestionForm } from './action-button.tsx'
import { announce } from './announce.tsx'
import { FormDialog } from './form-dialog.tsx'

/** An action that is rare or cannot be undone, so it is in a menu and asks first. */
export interface MenuAction {
  readonly label: string
  readonly denied: string | undefined
  readonly ask: Question
  readonly act: (reason: string) => Promise<unknown>
  readonly done: string
  readonly onDone?: () => void
}

/** The menu at the end of a page's actions. An action that cannot be done now stays in it, with the reason below its name. */
export function ActionMenu({ actions }: { readonly actions: readonly MenuAction[] }) {
  const [asked, setAsked] = useState<MenuAction>()
  const [isDirty, setDirty] = useState(false)
  const close = () => {
    setDirty(false)
    setAsked(undefined)
  }
  return (
    <>
      <Menu position="bottom-end" width={280} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map((action) => (
            <ActionItem key={action.label} action={action} choose={() => setAsked(action)} />
          ))}
        </Menu.Dropdown>
      </Menu>
      <FormDialog
        opened={asked !== undefined}
        onClose={close}
        isDirty={isDirty}
        onTouched={() => setDirty(true)}
        title={asked?.ask.title ?? ''}
        centered
      >
        {asked && <Asked action={asked} close={close} />}
      </FormDialog>
    </>
  )
}

function ActionItem({ action, choose }: { readonly action: MenuAction; readonly choose: () => void }) {
  const { label, denied } = action
  return (
    <Menu.Item
      className={denied === undefined ? 'risky' : 'denied'}
      {...(denied === undefined ? {} : { 'data-disabled': true })}
      closeMenuOnClick={denied === undefined}
      onClick={() => denied === undefined && choose()}
    >
      {label}
      {denied !== undefined && <span className="reason">{denied}</span>}
    </Menu.Item>
  )
}

function Asked({ action, close }: { readonly action: MenuAction; readonly close: () => void }) {
  const [reason, setReason] = useState('')
  const mutation = useMutation({
    mutationFn: action.act,
    onSuccess: () => {
      close()
      announce(action.done)
      action.onDone?.()
    },
  })
  return (
    <QuestionForm
      ask={action.ask}
      label={action.label}
      look={{ color: 'red' }}
      reason={reason}
      change={setReason}
      mutation={mutation}
      close={close}
    />
  )
}
