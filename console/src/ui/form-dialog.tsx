import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { UnsavedQuestion } from './unsaved.tsx'

/** A dialog with a form. While something typed is not saved, it asks before it closes. */
export function FormDialog(props: {
  readonly opened: boolean
  readonly onClose: () => void
  readonly isDirty: boolean
  /** Something was typed, ticked or chosen in it. */
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
        // Events of its inputs arrive here, and events of choices drawn elsewhere on the page.
        onChange={onTouched}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest('[role=option]')) onTouched?.()
        }}
      >
        {children}
      </Modal>
      {/* Mounted only while open: otherwise it would handle the Escape that opens it. */}
      {isConfirming && <UnsavedQuestion isOpen stay={stay} leave={leave} />}
    </>
  )
}
