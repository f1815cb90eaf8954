import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { DeniableButton } from './deniable-button.tsx'
import { FormDialog } from './form-dialog.tsx'
import { usePageKeys } from './keys.ts'

interface Dialog {
  readonly close: () => void
  /** Also closes the dialog. */
  readonly onDone: () => void
  /** Reports unsaved input. The dialog detects input itself; a form can override that. */
  readonly setDirty: (isDirty: boolean) => void
}

/** A button that opens a form in a dialog. Closing the dialog with unsaved input asks for confirmation. */
export function DialogButton(props: {
  readonly label: string
  readonly title: string
  readonly variant?: 'default'
  /** The size of the dialog. */
  readonly size?: 'lg'
  readonly buttonSize?: 'xs'
  readonly disabledReason: string | undefined
  readonly hotkey?: string
  readonly onDone: () => void
  readonly children: (dialog: Dialog) => ReactNode
}) {
  const { label, title, variant, size, buttonSize, disabledReason, hotkey, onDone, children } = props
  const [isOpen, { open, close: hide }] = useDisclosure(false)
  const [isDirty, setDirty] = useState(false)
  const close = () => {
    setDirty(false)
    hide()
  }
  usePageKeys(hotkey !== undefined && disabledReason === undefined ? { [hotkey]: open } : {})
  const finish = () => {
    close()
    onDone()
  }
  return (
    <>
      <DeniableButton
        disabledReason={disabledReason}
        onClick={open}
        {...(variant ? { variant } : {})}
        {...(buttonSize ? { size: buttonSize } : {})}
        {...(hotkey === undefined ? {} : { hotkey })}
      >
        {label}
      </DeniableButton>
      <FormDialog
        opened={isOpen}
        onClose={close}
        isDirty={isDirty}
        onTouched={() => setDirty(true)}
        title={title}
        centered
        {...(size ? { size } : {})}
      >
        {children({ close, onDone: finish, setDirty })}
      </FormDialog>
    </>
  )
}
