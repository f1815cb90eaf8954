import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { UnsavedQuestion } from './unsaved.tsx'

/** A form dialog that asks before it discards unsaved input. */
export function FormDialog(props: {
  readonly opened: boolean
  readonly onClose: () => void
  readonly isDirty: boolean
  /** Called when something has been typed or chosen in the dialog. */
  readonly onTouched?: () => void
  readonly title: string
  readonly size?: 'lg'
  readonly centered?: boolean
  readonly children: ReactNode
}) {
  const { opened, onClose, isDirty, onTouched, title, size, centered = false, children } = props
  const [isConfirming, { open: ask, close: stay }] = useDisclosure(false)
  const leave = () => {
    stay()
    onClose()
  }
  return (
    <>
      <Modal
        opened={opened}
        onClose={isDirty ? ask : onClose}
        title={title}
        keepMounted={false}
        centered={centered}
        {...(size ? { size } : {})}
        // Receives events of the dialog's inputs, and of dropdowns rendered elsewhere in the DOM.
        onChange={onTouched}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest('[role=option]')) onTouched?.()
        }}
      >
        {children}
      </Modal>
      {/* Mounted only while open: otherwise it would handle the same Escape key press that opens it. */}
      {isConfirming && <UnsavedQuestion isOpen stay={stay} leave={leave} />}
    </>
  )
}
