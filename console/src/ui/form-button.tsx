import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { DeniableButton } from './deniable-button.tsx'

interface Form {
  readonly close: () => void
  readonly onDone: () => void
}

/** A button that opens a form in a dialog. */
export function FormButton(props: {
  readonly label: string
  readonly title: string
  readonly variant?: 'default'
  readonly denied: string | undefined
  readonly onDone: () => void
  readonly children: (form: Form) => ReactNode
}) {
  const { label, title, variant, denied, onDone, children } = props
  const [isOpen, { open, close }] = useDisclosure(false)
  const done = () => {
    close()
    onDone()
  }
  return (
    <>
      <DeniableButton denied={denied} onClick={open} {...(variant ? { variant } : {})}>
        {label}
      </DeniableButton>
      <Modal opened={isOpen} onClose={close} title={title} centered keepMounted={false}>
        {children({ close, onDone: done })}
      </Modal>
    </>
  )
}
