export const iconPath = "/icon.svg";
