import { expect, test } from 'vitest'

import { isExempt } from './no-proxy.ts'

const exempt = (address: string, list: string): boolean => isExempt(new URL(address), list)

test.each([
  ['https://import.example.com', 'import.example.com'],
  ['https://import.example.com', 'IMPORT.Example.COM'],
  ['https://Import.Example.com.', 'import.example.com'],
  ['https://import.example.com', 'import.example.com.'],
  ['https://import.example.com', 'example.com'],
  ['https://import.example.com', '.example.com'],
  ['https://example.com', '.example.com'],
  ['https://import.example.com', '*.example.com'],
  ['https://import.example.com', 'com'],
  ['https://import.example.com', '*'],
  ['https://import.example.com', 'none.invalid, *'],
  ['https://import.example.com', '*:443'],
  ['https://import.example.com', 'none.invalid,import.example.com'],
  ['https://import.example.com', ' none.invalid \t import.example.com '],
  ['https://import.example.com', 'import.example.com:443'],
  ['http://import.example.com', 'import.example.com:80'],
  ['https://import.example.com:8443', '.example.com:8443'],
  ['https://10.1.2.3', '10.1.2.3'],
  ['https://10.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3:8443', '10.1.2.3:8443'],
  ['https://192.0.2.7', '10.0.0.0/8,192.0.2.0/24'],
  ['https://10.1.2.3', '0.0.0.0/0'],
  ['https://[2001:db8::1]', '2001:db8::1'],
  ['https://[2001:db8::1]', '[2001:db8::1]'],
  ['https://[2001:db8::1]', '2001:0DB8:0:0::1'],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443'],
  ['https://[2001:db8::1]', '2001:db8::/32'],
])('%s is exempt by %j', (address, list) => {
  expect(exempt(address, list)).toBe(true)
})

test.each([
  ['https://import.example.com', ''],
  ['https://import.example.com', ' , ,'],
  ['https://import.example.com', 'xample.com'],
  ['https://import.example.com', 'port.example.com'],
  ['https://import.example.com', 'www.import.example.com'],
  ['https://example.com', '*.example.com'],
  ['https://import.example.com', 'import.example.com:80'],
  ['https://import.example.com:8443', 'import.example.com:443'],
  ['https://import.example.com', '*:80'],
  ['https://import.example.com', '.'],
  ['https://import.example.com', '10.0.0.0/8'],
  ['https://10.1.2.3', '1.2.3'],
  ['https://10.1.2.3', '.2.3'],
  ['https://11.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3', '10.0.0.0/33'],
  ['https://10.1.2.3', '10.0.0.0/'],
  ['https://10.1.2.3', '10.0.0.0/8/8'],
  ['https://10.1.2.3', '10.0.0.0/0x8'],
  ['https://[2001:db8::1]', '2001:db9::/32'],
  ['https://[2001:db8::1]', '2001:db8::/129'],
  ['https://[2001:db8::1]', '10.0.0.0/8'],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:443'],
  ['https://import.example.com', 'https://import.example.com'],
])('%s is not exempt by %j', (address, list) => {
  expect(exempt(address, list)).toBe(false)
})
