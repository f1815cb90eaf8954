import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { DeniableButton } from '../../ui/deniable-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { DecideForm } from './decide-form.tsx'

interface DecideButtonProps {
  readonly transactionId: string
  /** The rail report that this decision resolves. */
  readonly railEventId?: string
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}

/**
 * Records a payment's outcome when its rail has not reported it, or has reported one that contradicts the
 * ledger.
 */
export function DecideButton({ transactionId, railEventId, disabledReason, onDone }: DecideButtonProps) {
  const [isOpen, { open, close: hide }] = useDisclosure(false)
  const [isDirty, setDirty] = useState(false)
  const close = () => {
    setDirty(false)
    hide()
  }
  const query = useQuery({
    queryKey: ['transactions', transactionId],
    queryFn: () => countersign.transactions.get(transactionId),
    enabled: isOpen,
  })
  return (
    <>
      <DeniableButton variant="default" disabledReason={disabledReason} onClick={open}>
        Decide
      </DeniableButton>
      <FormDialog
        opened={isOpen}
        onClose={close}
        isDirty={isDirty}
        onTouched={() => setDirty(true)}
        title="Set the outcome of this payment"
        centered
      >
        <QueryResult query={query} lines={6}>
          {(transaction) => (
            <DecideForm
              transaction={transaction}
              {...(railEventId === undefined ? {} : { railEventId })}
              close={close}
              onDone={() => {
                setDirty(false)
                onDone()
              }}
            />
          )}
        </QueryResult>
      </FormDialog>
    </>
  )
}
