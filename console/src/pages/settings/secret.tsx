import { Button, Group, PasswordInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

/** A secret, hidden until the member reveals it, with a copy button. */
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
