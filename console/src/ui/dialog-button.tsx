import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { DeniableButton } from './deniable-button.tsx'
import { usePageKeys } from './keys.ts'
import { UnsavedQuestion } from './unsaved.tsx'

interface Dialog {
  readonly close: () => void
  /** Closes the dialog as well. */
  readonly onDone: () => void
  /** Tells the dialog that something was typed, so that it asks before it closes. */
  readonly setDirty: (isDirty: boolean) => void
}

/**
 * A button that opens a form in a dialog. What was typed is gone once the dialog is closed; a form that calls `setDirty` makes
 * it ask first.
 */
export function DialogButton(props: {
  readonly label: string
  readonly title: string
  readonly variant?: 'default'
  /** Of the dialog. */
  readonly size?: 'lg'
  readonly buttonSize?: 'xs'
  readonly denied: string | undefined
  readonly hotkey?: string
  readonly onDone: () => void
  readonly children: (dialog: Dialog) => ReactNode
}) {
  const { label, title, variant, size, buttonSize, denied, hotkey, onDone, children } = props
  const [isOpen, { open, close: hide }] = useDisclosure(false)
  const [isDirty, setDirty] = useState(false)
  const [isConfirming, { open: ask, close: stay }] = useDisclosure(false)
  const close = () => {
    stay()
    setDirty(false)
    hide()
  }
  usePageKeys(hotkey !== undefined && denied === undefined ? { [hotkey]: open } : {})
  const done = () => {
    close()
    onDone()
  }
  return (
    <>
      <DeniableButton
        denied={denied}
        onClick={open}
        {...(variant ? { variant } : {})}
        {...(buttonSize ? { size: buttonSize } : {})}
        {...(hotkey === undefined ? {} : { hotkey })}
      >
        {label}
      </DeniableButton>
      <Modal
        opened={isOpen}
        onClose={isDirty ? ask : close}
        title={title}
        centered
        keepMounted={false}
        {...(size ? { size } : {})}
      >
        {children({ close, onDone: done, setDirty })}
      </Modal>
      {/* Not mounted before: it would take the Escape that opens it for its own. */}
      {isConfirming && <UnsavedQuestion isOpen stay={stay} leave={close} />}
    </>
  )
}
