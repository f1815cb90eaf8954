import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { DeniableButton } from './deniable-button.tsx'
import { usePageKeys } from './keys.ts'

interface Dialog {
  readonly close: () => void
  /** Closes the dialog as well. */
  readonly onDone: () => void
}

/** A button that opens a form in a dialog. What was typed is gone once the dialog is closed. */
export function DialogButton(props: {
  readonly label: string
  readonly title: string
  readonly variant?: 'default'
  readonly size?: 'lg'
  readonly denied: string | undefined
  readonly hotkey?: string
  readonly onDone: () => void
  readonly children: (dialog: Dialog) => ReactNode
}) {
  const { label, title, variant, size, denied, hotkey, onDone, children } = props
  const [isOpen, { open, close }] = useDisclosure(false)
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
        {...(hotkey === undefined ? {} : { hotkey })}
      >
        {label}
      </DeniableButton>
      <Modal
        opened={isOpen}
        onClose={close}
        title={title}
        centered
        keepMounted={false}
        {...(size ? { size } : {})}
      >
        {children({ close, onDone: done })}
      </Modal>
    </>
  )
}
