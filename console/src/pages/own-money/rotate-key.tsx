import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { type Treasury, useTreasuries } from './treasuries.ts'
import { useReloadOwnMoney } from './use-changed.ts'

/** A button that opens the form for a key rotation. */
export function RotateKey() {
  const missingManage = useMissingPermission('MANAGE')
  const onChanged = useReloadOwnMoney()
  const { data: treasuries = [] } = useTreasuries()
  const disabledReason =
    missingManage ?? (treasuries.length === 0 ? 'The platform has no treasury on a chain.' : undefined)
  return (
    <DialogButton
      label="Rotate key"
      title="Rotate a treasury key"
      variant="default"
      disabledReason={disabledReason}
      onDone={onChanged}
    >
      {({ onDone }) => <RotationForm treasuries={treasuries} onDone={onDone} />}
    </DialogButton>
  )
}

function RotationForm(props: { readonly treasuries: readonly Treasury[]; readonly onDone: () => void }) {
  const { treasuries, onDone } = props
  const [selectedRail, setSelectedRail] = useState('')
  const treasury = treasuries.find(({ rail }) => rail === selectedRail) ?? treasuries[0]
  return (
    <ConfirmForm
      label="Rotate key"
      isReady={treasury !== undefined}
      facts={[
        ['Rail', treasury?.rail],
        ['Network', treasury?.network && formatConstant(treasury.network)],
        ['Current address', treasury?.address ?? 'Simulated'],
      ]}
      effect="The enclave creates a new key. Once it is active, payments are sent from its address, and the balance of the current address moves there."
      send={(order) => countersign.treasuryKeys.create({ rail: treasury?.rail ?? '', ...order })}
      onDone={onDone}
    >
      <NativeSelect
        label="Treasury"
        data={treasuries.map(({ rail }) => rail)}
        value={treasury?.rail}
        onChange={({ currentTarget }) => setSelectedRail(currentTarget.value)}
      />
    </ConfirmForm>
  )
}
