import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { DeniableButton } from '../../ui/deniable-button.tsx'
import type { Approval } from './approval.ts'
import { AssignForm } from './assign-form.tsx'

interface AssignProps {
  readonly approval: Approval
  readonly denied: string | undefined
  readonly onDone: () => void
}

/** Says whose money a deposit is: finds the customer, and credits one of its accounts in the currency of the deposit. */
export function AssignButton({ approval, denied, onDone }: AssignProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <DeniableButton denied={denied} onClick={open}>
        Assign
      </DeniableButton>
      <Modal opened={isOpen} onClose={close} title="Whose money is it?" centered keepMounted={false}>
        <AssignForm
          approval={approval}
          close={close}
          onDone={() => {
            close()
            onDone()
          }}
        />
      </Modal>
    </>
  )
}
