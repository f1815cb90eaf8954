import { Button, Group, PasswordInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

/** A secret, covered until the member reveals it, and a button to copy it. */
export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const { copy, copied } = useClipboard()
  return (
    <Group align="flex-end" wrap="nowrap">
      <PasswordInput label={label} value={value} readOnly style={{ flex: 1 }} autoComplete="off" />
      <Button variant="default" onClick={() => copy(value)}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </Group>
  )
}
