import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { type Treasury, useTreasuries } from './treasuries.ts'
import { useReloadOwnMoney } from './use-changed.ts'

/** A button that opens the form for a key rotation. */
export function RotateKey() {
  const mayManage = useDenied('MANAGE')
  const onChanged = useReloadOwnMoney()
  const { data: treasuries = [] } = useTreasuries()
  const denied =
    mayManage ?? (treasuries.length === 0 ? 'The platform has no treasury on a chain.' : undefined)
  return (
    <DialogButton
      label="Rotate key"
      title="Rotate the key of a treasury"
      variant="default"
      denied={denied}
      onDone={onChanged}
    >
      {({ onDone }) => <RotationForm treasuries={treasuries} onDone={onDone} />}
    </DialogButton>
  )
}

function RotationForm(props: { readonly treasuries: readonly Treasury[]; readonly onDone: () => void }) {
  const { treasuries, onDone } = props
  const [chosen, setChosen] = useState('')
  const treasury = treasuries.find(({ rail }) => rail === chosen) ?? treasuries[0]
  return (
    <ConfirmForm
      label="Rotate key"
      isReady={treasury !== undefined}
      facts={[
        ['Rail', treasury?.rail],
        ['Network', treasury?.network && wordsOf(treasury.network)],
        ['Present address', treasury?.address ?? 'Simulated'],
      ]}
      effect="The enclave makes a new key. Once it is active, payments go from its address, and what the present address has is sent there."
      send={(order) => countersign.treasuryKeys.create({ rail: treasury?.rail ?? '', ...order })}
      onDone={onDone}
    >
      <NativeSelect
        label="Treasury"
        data={treasuries.map(({ rail }) => rail)}
        value={treasury?.rail}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
    </ConfirmForm>
  )
}
